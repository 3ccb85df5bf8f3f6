diff tests/data/squeeze.pt2 tests/data/squeeze_retrained.pt2 --ignore weights
