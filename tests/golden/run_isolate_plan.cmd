run tests/data/gate.pt2 --plan tests/data/gate_two_tags.plan.json --isolate
