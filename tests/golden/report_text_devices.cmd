report tests/data/on_cuda.pte --format text --width 100
