check tests/data/tiny.pte --rules doc/rules.d --select user/no-int46-inputs
