check tests/data/squeeze_portable.pte --program tests/data/squeeze.pt2 --numerics
