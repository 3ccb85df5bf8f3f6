partition tests/data/listed_weight.pt2 --backend xnnpack -o /dev/null
