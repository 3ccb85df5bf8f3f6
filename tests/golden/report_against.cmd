report tests/data/mlp_core.pt2 --against tests/data/mlp.pt2 --format text --width 100 | sed -n '/^What changed/,/^Partitions/p'
