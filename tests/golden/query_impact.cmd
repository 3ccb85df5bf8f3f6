query tests/data/on_cuda.pte @impact -p node=op_3
