query tests/data/conv_net.pt2 @flops
