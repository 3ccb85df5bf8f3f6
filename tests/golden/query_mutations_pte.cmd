query tests/data/several_methods.pte @mutations
