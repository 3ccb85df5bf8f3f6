run tests/data/complex_numbers.pt2 --coverage --max-skip 0
