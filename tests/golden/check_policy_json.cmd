check tests/data/on_cuda_planned_on_host.pte --config tests/golden/policies/team.yaml --format json --select device,budget
