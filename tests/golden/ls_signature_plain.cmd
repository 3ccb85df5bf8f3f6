ls tests/data/key_value_cache_core.pt2 -wsignature --format plain
