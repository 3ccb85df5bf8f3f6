info tests/data/dynamic.pt2
