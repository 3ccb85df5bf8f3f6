partition tests/data/mlp.pt2 --supported-ops aten::sin
