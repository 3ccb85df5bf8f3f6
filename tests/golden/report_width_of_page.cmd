report tests/data/mlp.pte -o /dev/null --format html --width 80
