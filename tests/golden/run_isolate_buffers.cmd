run tests/data/buffers.pt2 --against tests/data/buffers.pt2 --isolate
