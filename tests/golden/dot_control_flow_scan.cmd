dot tests/data/control_flow_scan.pte
