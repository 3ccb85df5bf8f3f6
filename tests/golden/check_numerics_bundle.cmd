check tests/data/bundled.bpte --numerics
