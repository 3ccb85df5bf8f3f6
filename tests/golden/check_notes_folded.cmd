check tests/data/llama.pt2 tests/data/bert.pt2 tests/data/mobilenet_v3_xnnpack.pte
