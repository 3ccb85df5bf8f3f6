info tests/data/cond_tagged.pt2 --plan tests/data/cond_tagged.plan.json
