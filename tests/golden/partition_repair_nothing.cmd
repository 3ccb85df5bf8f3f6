partition tests/data/branches_tagged.pt2 --repair tests/data/branches_tagged.plan.json -o -
