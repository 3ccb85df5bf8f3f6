check tests/data/tiny.pte --select user/no-int64-inputs
