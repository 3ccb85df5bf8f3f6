check tests/data/external.pte --select data
