partition tests/data/multi_output.pt2 --backend xnnpack
