show tests/data/cond.pt2 true_grph_0
