dot tests/data/several_methods.pte --method reset
