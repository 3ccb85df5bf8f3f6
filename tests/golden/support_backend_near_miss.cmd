explain tests/data/edge_exir.pt2 --backend vulcan
