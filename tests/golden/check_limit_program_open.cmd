check tests/data/bert_xnnpack.pte --program tests/data/bert.pt2 --limit delegated-share=40% --select budget
