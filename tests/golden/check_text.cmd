check tests/data/tiny.pte tests/data/cond.pt2 --select memory/extent
