explain tests/data/gate.pt2 --plan tests/data/gate_one_tag.plan.json
