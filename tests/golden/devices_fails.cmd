devices tests/data/on_cuda_exir.pt2 --skip-h2d-inputs
