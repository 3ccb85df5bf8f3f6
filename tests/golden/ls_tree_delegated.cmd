ls tests/data/after_xnnpack.pt2 --tree --depth 1
