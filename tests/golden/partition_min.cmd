partition tests/data/bert.pt2 --mode min --weight bytes --unsupported-ops aten::softmax.int,aten::mul.Tensor,aten::linear.default
