check tests/data/while_loops.pt2 --for executorch --select control-flow
