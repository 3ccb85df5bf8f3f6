partition tests/data/mlp.pt2 --backend-id A,B
