rules user --rules doc/rules.d --rules tests/golden/rules.d/short --format json
