dot tests/data/squeeze_retrained.pt2 --against tests/data/squeeze.pt2
