check tests/data/squeeze_xnnpack.pte --program tests/data/squeeze_retrained.pt2 --select budget --limit delegated-ops=95% --limit delegated-flops=98% --limit delegated-bytes=99% -q
