dot tests/data/gate_tagged.pt2 --plan tests/data/gate_tagged.plan.json --no-plan
