diff tests/data/mlp.pt2 tests/data/mlp_core.pt2 --store "$got/diff.db" -o "$got/text" || "$DELEGRAPH" query "$got/diff.db" 'SELECT kind, change, module, what, name, old, new, node_id FROM v_diff'
