ls tests/data/several_models.pt2 --tree
