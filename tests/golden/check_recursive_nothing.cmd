check -r tests/golden/checkout
