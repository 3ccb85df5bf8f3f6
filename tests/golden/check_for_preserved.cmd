check tests/data/branch_linear.pt2 --for executorch --backends XnnpackBackend --select partition,control-flow
