partition tests/data/squeeze_core.pt2 --backend xnnpack -o - | "$DELEGRAPH" check tests/data/squeeze_core.pt2 --plan - --select partition
