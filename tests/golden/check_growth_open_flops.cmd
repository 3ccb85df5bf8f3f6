check tests/data/squeeze_xnnpack.pte --program tests/data/squeeze_lowered_exir.pt2 --against tests/data/two_backends.pte --select budget --limit delegated-flops=-1% --limit delegated-share=-1% -q
