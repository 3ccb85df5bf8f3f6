check tests/data/mutants/memory_no-live-overlap__two_in_one_place.pte --program tests/data/key_value_cache_core.pt2 --numerics
