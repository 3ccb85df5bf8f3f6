check tests/data/tiny.pte --rules tests/golden/rules.d/short --select user
