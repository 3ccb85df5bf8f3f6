check tests/data/two_backends.pte --program tests/data/squeeze.pt2 --select budget --limit delegated-flops=50% -q
