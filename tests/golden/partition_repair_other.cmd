partition tests/data/crossed.pt2 --repair tests/data/gate_one_tag.plan.json --force
