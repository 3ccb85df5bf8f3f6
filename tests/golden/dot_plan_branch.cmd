dot tests/data/branches_tagged.pt2 --graph true_graph_0
