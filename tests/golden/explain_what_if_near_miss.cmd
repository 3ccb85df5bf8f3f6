explain tests/data/bert.pt2 --unsupported-ops aten::gelu --what-if aten::gelux
