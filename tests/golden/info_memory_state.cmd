info --memory tests/data/llama_xnnpack.pte | sed -n "/^  memory/,/^file/p"
