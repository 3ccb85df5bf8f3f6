partition tests/data/gate.pt2 --remove-bookends --non-compute-ops aten::cumsum,aten::sigmoid --supported-ops aten::cumsum,aten::sigmoid
