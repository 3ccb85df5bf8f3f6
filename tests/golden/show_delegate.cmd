show tests/data/on_cuda.pte 'delegate#1'
