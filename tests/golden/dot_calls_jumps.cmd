dot tests/data/control_flow_cond.pte --view calls
