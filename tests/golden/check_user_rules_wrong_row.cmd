check tests/data/tiny.pte tests/data/mlp.pt2 --rules tests/golden/rules.d/wrong-row
