dot tests/data/on_cuda_exir.pt2 --view devices
