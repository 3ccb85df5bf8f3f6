info --memory tests/data/control_flow_scan.pte --format json
