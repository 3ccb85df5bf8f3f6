partition tests/data/crossed.pt2 --repair tests/data/crossed_two_tags.plan.json
