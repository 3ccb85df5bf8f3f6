info --hash --format json tests/data/on_cuda.pte
