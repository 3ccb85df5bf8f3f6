show tests/data/llama.pt2 layer.0
