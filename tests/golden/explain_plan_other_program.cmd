explain tests/data/mlp.pt2 --plan tests/data/gate_tagged.plan.json --force
