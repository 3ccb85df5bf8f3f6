explain tests/data/aoti_package.pt2
