info tests/data/mobilenet_v3_xnnpack.pte tests/data/bert_xnnpack.pte
