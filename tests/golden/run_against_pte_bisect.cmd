run tests/data/mlp.pt2 --against tests/data/external.pte --data tests/data/external_default_external_constant.ptd --bisect
