partition tests/data/branches_tagged.pt2 --repair tests/golden/plans/branches_cyclic.json -o -
