partition tests/data/mlp.pt2 -o - | sed 's/aten::relu/aten::sin/;s/"position":7/"position":9/' | "$DELEGRAPH" check tests/data/mlp.pt2 --plan -
