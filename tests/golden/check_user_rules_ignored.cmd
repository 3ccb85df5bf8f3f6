check tests/data/two_backends.pte --rules doc/rules.d --ignore user/only-xnnpack
