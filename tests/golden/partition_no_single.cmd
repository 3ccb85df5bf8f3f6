partition tests/data/mlp.pt2 --unsupported-ops aten::relu --allow-single-node=false
