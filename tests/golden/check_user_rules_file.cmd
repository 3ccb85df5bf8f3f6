check tests/data/tiny.pte --rules doc/rules.d/only-xnnpack.sql
