run tests/data/mutants/memory_no-live-overlap__two_in_one_place.pte
