partition tests/data/mlp.pt2 --backend XnnpackBackend
