check tests/data/control_flow_symbolic.pte tests/data/symbolic_cond.pt2
