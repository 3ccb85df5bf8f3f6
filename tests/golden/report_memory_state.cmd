report tests/data/llama_xnnpack.pte --format text | grep "could save"
