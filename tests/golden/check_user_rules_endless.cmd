check tests/data/tiny.pte --rules tests/golden/rules.d/endless --rules-timeout 0.3
