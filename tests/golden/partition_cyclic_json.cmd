partition tests/data/after_xnnpack.pt2 --mode single --format json
