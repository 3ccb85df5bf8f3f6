check -r tests/data/wrong --fail-on never --quiet
