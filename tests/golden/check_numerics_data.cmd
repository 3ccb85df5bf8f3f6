check tests/data/external.pte tests/data/external_default_external_constant.ptd --program tests/data/mlp.pt2 --numerics
