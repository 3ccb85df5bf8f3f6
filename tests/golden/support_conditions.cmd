explain tests/data/conv_net.pt2 --support tests/golden/support/conditions.json
