run tests/data/none_output.pt2 --format json
