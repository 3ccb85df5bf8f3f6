check tests/data/tiny.pte tests/data/portable.pte --against tests/golden --limit file-size=+0 --select budget
