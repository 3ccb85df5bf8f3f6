check tests/data/bert_xnnpack.pte --program tests/data/bert.pt2 --select budget --limit delegated-flops=50% -q
