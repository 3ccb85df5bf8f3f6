info tests/data/on_cuda.pte --program tests/data/on_cuda_exir.pt2 --format json
