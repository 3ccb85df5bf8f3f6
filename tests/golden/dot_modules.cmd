dot tests/data/llama.pt2 --view modules
