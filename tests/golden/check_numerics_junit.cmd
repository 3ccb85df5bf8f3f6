check tests/data/squeeze_portable.pte --program tests/data/squeeze_retrained.pt2 --numerics --select numerics --format junit
