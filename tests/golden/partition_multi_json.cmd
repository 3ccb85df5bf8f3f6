partition tests/data/edge_exir.pt2 --mode multi --backend xnnpack,vulkan --format json
