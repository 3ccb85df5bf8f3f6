dot tests/data/branches_tagged.pt2 --view modules
