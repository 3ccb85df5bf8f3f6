dot tests/data/nested_cond.pt2 --view calls
