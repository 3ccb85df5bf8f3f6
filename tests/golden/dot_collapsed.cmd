dot tests/data/mobilenet_v3.pt2 --max-boxes 30
