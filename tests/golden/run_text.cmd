run tests/data/multi_output.pt2
