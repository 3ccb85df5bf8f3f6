ls tests/data/on_cuda.pte --what=ops --format=csv
