partition tests/data/aoti_package.pt2
