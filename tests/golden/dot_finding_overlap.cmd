dot tests/data/mutants/memory_hop-escape__branch_result_overwritten.pte --finding 1
