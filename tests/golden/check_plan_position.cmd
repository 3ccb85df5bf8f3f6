partition tests/data/mlp.pt2 -o - | sed "s/\"position\":7/\"position\":-1/" | "$DELEGRAPH" check tests/data/mlp.pt2 --plan -
