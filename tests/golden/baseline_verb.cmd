baseline wriet tests/data/on_cuda_planned_on_host.pte
