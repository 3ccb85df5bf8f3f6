check tests/data/two_backends.pte --rules doc/rules.d --select user --format json
