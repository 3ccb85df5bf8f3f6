check tests/data/two_backends.pte --select budget --limit peak-memory=256 --limit partition-count=8 --limit delegated-share=0.6
