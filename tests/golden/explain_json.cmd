explain tests/data/gate_tagged.pt2 --format json
