report tests/data/several_methods.pte --format text --width 80
