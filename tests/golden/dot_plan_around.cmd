dot tests/data/after_xnnpack.pt2 --plan tests/data/after_xnnpack_aoti.plan.json --around aten_atan2_default --hops 1
