check tests/data/on_cuda_planned_on_host.pte --baseline tests/golden/baselines/expired.json --select device/buffer-entry,baseline
