check tests/data/xnnpack.pte --against tests/data/two_backends.pte --select budget --limit peak-memory=+2% --limit file-size=+1KiB --limit delegated-share=-1%
