check tests/data/tiny.pte tests/data/xnnpack.pte --against tests/golden/yesterday --limit file-size=+1MB -q
