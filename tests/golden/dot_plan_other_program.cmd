dot tests/data/gate.pt2 --plan tests/data/gate_tagged.plan.json
