explain tests/data/squeeze.pt2 --backend xnnpack -q
