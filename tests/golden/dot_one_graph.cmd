dot tests/data/nested_cond.pt2 --graph true_graph_0
