check tests/data/tiny.pte tests/data/portable.pte --against tests/golden/yesterday --limit file-size=+3kB --select budget
