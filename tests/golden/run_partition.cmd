run tests/data/gate_tagged.pt2 --partition tag0
