devices tests/data/on_cuda_exir.pt2 --skip-d2h-outputs
