check --explain-config --config tests/golden/policies/team.yaml --fail-on error
