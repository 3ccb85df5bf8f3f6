run tests/data/tiny.pte --nodes op_0..op_1
