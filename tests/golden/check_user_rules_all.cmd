check tests/data/*.pte tests/data/*.pt2 --rules doc/rules.d --select user -q
