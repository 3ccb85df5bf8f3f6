check tests/data/bert_xnnpack.pte --program tests/data/bert.pt2 --numerics
