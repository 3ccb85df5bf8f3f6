explain tests/data/bert.pt2 --unsupported-ops aten::gelu,aten::layer_norm
