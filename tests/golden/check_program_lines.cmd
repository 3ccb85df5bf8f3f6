check tests/data/squeeze_xnnpack.pte --program tests/data/squeeze_lowered_exir.pt2 --rules tests/golden/rules.d/lines --select user --report github=- --source-root tests/golden/checkout
