ls -w delegates tests/data/on_cuda.pte --format jsonl
