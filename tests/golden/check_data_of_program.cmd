check tests/data/mlp.pt2 --data tests/data/external_default_external_constant.ptd
