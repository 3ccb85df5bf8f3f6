check tests/data/on_cuda.pte --baseline tests/golden/baselines/known.json
