dot tests/data/on_cuda.pte --view devices
