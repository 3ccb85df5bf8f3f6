check tests/data/two_backends.pte tests/data/while_loops.pt2 --rules doc/rules.d
