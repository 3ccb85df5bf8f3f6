partition tests/data/after_xnnpack.pt2 --mode single --as-torch -o -
