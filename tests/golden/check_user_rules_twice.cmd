check tests/data/tiny.pte --rules doc/rules.d --rules doc/rules.d
