partition tests/data/while_loops_core.pt2 --repair tests/golden/plans/loop_body.json -o -
