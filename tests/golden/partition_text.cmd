partition tests/data/llama.pt2 --unsupported-ops aten::softmax.int,aten::mul.Tensor
