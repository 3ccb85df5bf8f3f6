check tests/data/external.pte --data tests/data/external_default_external_constant.ptd --program tests/data/conv_net.pt2 --select signature,constant
