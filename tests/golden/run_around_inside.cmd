run tests/data/squeeze.pt2 --around op_0/Conv2d_4
