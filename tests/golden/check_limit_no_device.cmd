check tests/data/on_cuda.pte --limit peak-memory.cuda=100B
