check tests/data/mutants/plan_op-sizes__declared_turned_round.pte --program tests/data/mlp.pt2 --numerics --select numerics
