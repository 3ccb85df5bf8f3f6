check tests/data/on_cuda_planned_on_host.pte tests/data/tiny.pte --config tests/golden/policies/team.yaml
