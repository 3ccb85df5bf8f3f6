dot tests/data/symbolic_cond.pt2 --view devices | grep -o 'delegraph dot [^"]* --no-fold'
