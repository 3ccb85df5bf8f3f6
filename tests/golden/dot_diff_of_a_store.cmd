diff tests/data/mlp.pt2 tests/data/mlp_core.pt2 --store "$got/diff.db" -o "$got/text" || "$DELEGRAPH" dot "$got/diff.db" --view diff | grep -c 'added\|removed'
