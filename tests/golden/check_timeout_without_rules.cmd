check tests/data/mlp.pte --rules-timeout 3
