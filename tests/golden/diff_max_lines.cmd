diff tests/data/squeeze_xnnpack.pte tests/data/squeeze_portable.pte --format md --max-lines 12
