diff tests/data/on_cuda.pte tests/data/on_cuda_planned_on_host.pte --format md
