check tests/data/after_xnnpack.pt2 --plan tests/data/after_xnnpack_one_tag.plan.json --select partition/convex,partition/lowering-order --format json
