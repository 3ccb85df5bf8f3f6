check tests/data/several_methods.pte --against tests/data/tiny.pte --select budget --limit peak-memory=+2% --limit file-size=+1MB -q
