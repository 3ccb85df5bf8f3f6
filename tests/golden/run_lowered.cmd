run tests/data/squeeze_lowered_exir.pt2
