explain tests/data/gate.pt2 --what-if aten::mul
