query tests/data/llama.pt2 @mutations
