check tests/data/tiny.pte --config tests/golden/policies/mistake.yaml
