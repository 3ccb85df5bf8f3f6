query tests/data/lowered_two_exir.pt2 @coverage
