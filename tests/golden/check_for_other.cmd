check tests/data/while_loops.pt2 --for executorc
