check tests/data/two_backends.pte --select budget --limit peak-memory=0.1KiB --limit delegated-share=60% --limit file-size=1MB -q
