run tests/data/input_mutation.pt2 --against tests/data/mutated_inputs.pte
