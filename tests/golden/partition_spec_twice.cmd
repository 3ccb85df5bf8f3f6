partition tests/data/mlp.pt2 --backend xnnpack --spec a=b --spec a=c
