run tests/data/xnnpack_merged_clamp.bpte
