dot tests/data/llama_xnnpack.pte --view calls
