devices tests/data/on_cuda_exir.pt2 --against tests/data/on_cuda.pte
