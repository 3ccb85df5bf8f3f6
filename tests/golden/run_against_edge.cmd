run tests/data/squeeze_core.pt2 --against tests/data/squeeze_xnnpack.pte --each
