partition tests/data/cond.pt2 -o /dev/null
