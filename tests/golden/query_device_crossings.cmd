query tests/data/on_cuda_exir.pt2 @device-crossings
