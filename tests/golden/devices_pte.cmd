devices tests/data/on_cuda.pte
