check tests/data/two_backends.pte --backends XnnpackBackend --select partition/backend-known
