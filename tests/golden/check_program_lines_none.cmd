check tests/data/squeeze_xnnpack.pte --rules tests/golden/rules.d/lines --select user --report github=- --source-root tests/golden/checkout
