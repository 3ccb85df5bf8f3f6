check tests/data/mlp.pt2 --plan tests/data/gate_two_tags.plan.json
