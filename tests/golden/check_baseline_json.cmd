check tests/data/on_cuda_planned_on_host.pte --baseline tests/golden/baselines/known.json --format json --select device --fail-on warning
