partition tests/data/bert.pt2 --backend xnnpack --format json
