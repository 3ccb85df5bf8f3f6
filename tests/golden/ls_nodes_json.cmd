ls tests/data/cond.pt2 --format json '*graph*'
