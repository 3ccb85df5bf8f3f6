dot tests/data/mutants/data_named-key-null__data_without_key.pte --finding 1
