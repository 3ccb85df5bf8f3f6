run tests/data/bert.pt2 --around gelu_1 --hops 2 --each
