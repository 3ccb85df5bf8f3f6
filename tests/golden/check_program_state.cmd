check tests/data/llama_xnnpack.pte --program tests/data/llama.pt2 --select memory/mutable-initial-state,constant/program-data
