devices tests/data/on_cuda_exir.pt2 --format json
