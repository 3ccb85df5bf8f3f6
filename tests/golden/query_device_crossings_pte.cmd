query tests/data/on_cuda.pte @device-crossings
