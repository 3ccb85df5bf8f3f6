check tests/data/squeeze_xnnpack.pte --program tests/data/squeeze_lowered_exir.pt2 --select constant,signature
