diff tests/data/squeeze_portable.pte tests/data/squeeze_xnnpack.pte
