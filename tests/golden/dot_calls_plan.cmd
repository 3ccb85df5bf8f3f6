dot tests/data/gate_tagged.pt2 --view calls
