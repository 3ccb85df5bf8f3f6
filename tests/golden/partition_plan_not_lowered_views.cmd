partition tests/data/edge_exir_views.pt2 --backend xnnpack -o /dev/null
