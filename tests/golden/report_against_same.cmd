report tests/data/mlp.pt2 --against tests/data/deflated.pt2 --format text --width 100 | grep -A 3 '^What changed'
