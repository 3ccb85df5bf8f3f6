run tests/data/llama.pt2 --seed 7
