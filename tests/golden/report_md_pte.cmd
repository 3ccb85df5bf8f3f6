report tests/data/bert_xnnpack.pte --format md --fail-on warning
