query tests/data/on_cuda.pte @peak --format csv
