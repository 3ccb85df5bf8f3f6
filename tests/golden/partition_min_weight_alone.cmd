partition tests/data/bert.pt2 --weight bytes
