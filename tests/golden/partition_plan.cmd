partition tests/data/cond.pt2 --mode aoti -o -
