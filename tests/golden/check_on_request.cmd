check tests/data/bert.pt2 tests/data/custom_ops.pt2 --select cuda/attention-math,graph/op-opaque --quiet
