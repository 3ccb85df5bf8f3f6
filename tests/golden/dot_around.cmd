dot tests/data/llama.pt2 --around add_5 --hops 1
