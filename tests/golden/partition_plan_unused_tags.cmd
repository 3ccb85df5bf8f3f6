partition tests/data/squeeze_core.pt2 --backend xnnpack -o - | grep 'unused.*tag'
