run tests/data/xnnpack_rewrites.bpte
