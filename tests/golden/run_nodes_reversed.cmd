run tests/data/bert.pt2 --nodes layer_norm_4..linear_10
