check tests/data/tiny.pte --limit peek-memory=256
