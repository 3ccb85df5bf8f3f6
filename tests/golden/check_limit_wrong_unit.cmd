check tests/data/two_backends.pte --limit host-ops=3KiB
