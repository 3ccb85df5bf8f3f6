run tests/data/bundled.bpte
