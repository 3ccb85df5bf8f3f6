dot tests/data/cond.pt2 --view partitions
