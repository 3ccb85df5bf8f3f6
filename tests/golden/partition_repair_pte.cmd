partition tests/data/bert_xnnpack.pte --repair tests/golden/plans/order.json
