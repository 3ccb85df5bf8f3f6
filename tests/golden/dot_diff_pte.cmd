dot tests/data/on_cuda_planned_on_host.pte --against tests/data/on_cuda.pte
