check tests/data/lowered_exir.pt2 --select budget --limit delegated-flops=99% --limit delegated-bytes=80%
