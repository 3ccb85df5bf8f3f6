partition tests/data/llama_core.pt2 --mode multi --backend xnnpack
