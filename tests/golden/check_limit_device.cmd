check tests/data/on_cuda.pte --select budget --limit planned-memory=1KiB --limit planned-memory.cuda=100B --limit copies=4 -q
