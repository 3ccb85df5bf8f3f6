check tests/data/squeeze_retrained_lowered_exir.pt2 --against tests/data/squeeze_lowered_exir.pt2 --select budget --limit delegated-flops=-1% --limit delegated-bytes=-0 --limit file-size=+0%
