info tests/data/several_models.pt2
