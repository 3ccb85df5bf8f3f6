ls tests/data/aoti_package.pt2 -w library-symbols aoti_*
