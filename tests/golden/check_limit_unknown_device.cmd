check tests/data/on_cuda.pte --limit planned-memory.cudo=100B
