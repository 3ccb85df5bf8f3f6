explain tests/data/cond.pt2 --unsupported-ops higher_order::cond
