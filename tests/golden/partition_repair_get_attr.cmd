partition tests/data/cond_tagged.pt2 --repair tests/golden/plans/get_attr.json
