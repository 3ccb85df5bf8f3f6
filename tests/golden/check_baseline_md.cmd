check tests/data/on_cuda_planned_on_host.pte --baseline tests/golden/baselines/known.json --format md --fail-on warning
