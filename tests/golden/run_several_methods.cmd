run tests/data/several_methods.pte --method get_length
