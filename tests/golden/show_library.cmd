show tests/data/aoti_package.pt2 library#1
