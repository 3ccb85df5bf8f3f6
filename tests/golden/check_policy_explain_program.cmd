check --explain-config tests/data/tiny.pte tests/data/on_cuda_planned_on_host.pte --config tests/golden/policies/team.yaml --limit file-size=2kB
