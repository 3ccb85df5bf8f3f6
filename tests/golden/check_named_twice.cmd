check tests/data/on_cuda_planned_on_host.pte ./tests/data/on_cuda_planned_on_host.pte -q
