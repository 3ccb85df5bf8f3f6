report tests/data/mlp_core.pt2 --against tests/data/mlp.pt2 --format md | sed -n '/What changed/,/^### Memory/p'
