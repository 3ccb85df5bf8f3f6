run tests/data/subclass_weight.pt2
