check tests/data/tiny.pte tests/data/on_cuda.pte --select memory/extent --format json
