run tests/data/mlp.pt2 --inputs tests/data/make_data.py
