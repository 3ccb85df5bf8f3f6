explain tests/data/edge_exir_dynamic.pt2 --backend xnnpack
