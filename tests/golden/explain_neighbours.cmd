explain tests/data/mobilenet_v3.pt2 add_1 --unsupported-ops aten::hardswish,aten::relu,aten::hardsigmoid
