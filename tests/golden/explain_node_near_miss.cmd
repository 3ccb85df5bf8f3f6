explain tests/data/bert.pt2 gelx --unsupported-ops aten::gelu
