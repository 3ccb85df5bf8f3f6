check tests/data/mutated_inputs.pte --program tests/data/input_mutation.pt2 --numerics
