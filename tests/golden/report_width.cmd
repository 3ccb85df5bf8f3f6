report tests/data/mlp.pt2 --format text --width 99999
