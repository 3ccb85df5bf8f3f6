diff tests/data/external_tagged.pte ./tests/data/external_tagged.pte
