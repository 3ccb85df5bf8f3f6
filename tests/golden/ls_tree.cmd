ls tests/data/bert.pt2 --tree
