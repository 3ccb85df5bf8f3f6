dot tests/data/squeeze_core.pt2 --against tests/data/squeeze.pt2 --max-boxes 20
