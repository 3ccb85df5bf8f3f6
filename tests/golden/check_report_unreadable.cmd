check tests/data/tiny.pte tests/data/missing.pte --report md=- --report sarif=/dev/null
