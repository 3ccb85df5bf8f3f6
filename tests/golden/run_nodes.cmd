run tests/data/bert.pt2 --nodes linear_10..layer_norm_4
