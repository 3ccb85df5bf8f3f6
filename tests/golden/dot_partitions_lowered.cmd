dot tests/data/after_xnnpack.pt2 --plan tests/data/after_xnnpack_aoti.plan.json --view partitions
