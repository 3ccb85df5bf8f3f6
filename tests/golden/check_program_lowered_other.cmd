check tests/data/squeeze_xnnpack.pte --program tests/data/squeeze_retrained_lowered_exir.pt2 --select constant,signature
