dot tests/data/crossed.pt2 --plan tests/data/crossed_two_tags.plan.json --view partitions
