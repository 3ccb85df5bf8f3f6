ls tests/data/several_methods.pte -m get_length
