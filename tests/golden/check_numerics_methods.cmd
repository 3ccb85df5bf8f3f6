check tests/data/several_methods.pte --program tests/data/mlp.pt2 --numerics --select numerics
