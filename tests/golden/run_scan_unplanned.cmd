run tests/data/unplanned_scan.pte
