check tests/data/external.pte --program tests/data/mlp.pt2 --numerics --select numerics
