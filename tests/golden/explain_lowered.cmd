explain tests/data/lowered_exir.pt2
