check tests/data/on_cuda_planned_on_host.pte --baseline tests/data/mlp_core.facts.json
