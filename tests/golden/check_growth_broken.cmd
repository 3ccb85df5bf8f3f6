check tests/data/two_backends.pte --against tests/data/xnnpack.pte --select budget --limit peak-memory=+2% --limit host-calls=+1 --limit host-calls=2 --limit delegated-share=-1%
