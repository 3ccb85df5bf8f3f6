explain tests/data/bert.pt2 gelu --unsupported-ops aten::gelu,aten::layer_norm
