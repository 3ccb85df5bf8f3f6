info tests/data/cond.pt2 tests/data/key_value_cache_core.pt2
