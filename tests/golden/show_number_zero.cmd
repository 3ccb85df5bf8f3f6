show tests/data/squeeze_xnnpack.pte delegate#0
