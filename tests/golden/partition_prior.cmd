partition tests/data/gate_tagged.pt2 --mode aoti --prior tests/data/gate_tagged.plan.json
