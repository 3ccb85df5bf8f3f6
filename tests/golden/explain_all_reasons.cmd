explain tests/data/llama.pt2 --backend xnnpack
