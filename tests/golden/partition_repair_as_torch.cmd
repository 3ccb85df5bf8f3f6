partition tests/data/gate.pt2 --repair tests/data/gate_one_tag.plan.json --as-torch -o -
