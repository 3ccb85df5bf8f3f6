partition tests/data/gate.pt2 --mode single --plan-version 1 -o -
