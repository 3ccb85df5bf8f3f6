partition tests/data/mlp.pt2 -o - | sed 's/"delegates":{/&"tag9":{"backend":"XnnpackBackend"},/' | "$DELEGRAPH" explain tests/data/mlp.pt2 --plan -
