query tests/data/squeeze_xnnpack.pte --program tests/data/multi_output.pt2 @lineage
