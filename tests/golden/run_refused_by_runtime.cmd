run tests/data/mutants/plan_op-sizes__declared_turned_round.pte
