query tests/data/on_cuda.pte @kernels
