info tests/data/on_cuda_exir.pt2 tests/data/on_cuda.pte
