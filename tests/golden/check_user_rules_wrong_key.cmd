check tests/data/tiny.pte --rules tests/golden/rules.d/wrong-key
