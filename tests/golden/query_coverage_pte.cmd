query tests/data/bert_xnnpack.pte @coverage
