query tests/data/on_cuda.pte @timeline --format csv
