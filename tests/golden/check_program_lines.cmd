check tests/data/squeeze_portable.pte --program tests/data/squeeze_core.pt2 --rules tests/golden/rules.d/lines --select user --report github=- --source-root tests/golden/checkout
