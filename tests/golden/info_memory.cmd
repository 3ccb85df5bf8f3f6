info --memory tests/data/control_flow_cond.pte tests/data/on_cuda.pte
