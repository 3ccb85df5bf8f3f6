devices tests/data/on_cuda_exir.pt2 --no-device-planning --against tests/data/on_cuda.pte
