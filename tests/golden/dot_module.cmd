dot tests/data/llama.pt2 --module layers.0
