run tests/data/while_loops.pt2 --each
