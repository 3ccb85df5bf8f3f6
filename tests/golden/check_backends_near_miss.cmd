check tests/data/xnnpack.pte --backends xnnpack
