show tests/data/on_cuda.pte aten::mul.out --format json
