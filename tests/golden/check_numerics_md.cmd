check tests/data/squeeze_portable.pte --program tests/data/squeeze_retrained.pt2 --numerics tests/data/bert_xnnpack.pte --select numerics --format md
