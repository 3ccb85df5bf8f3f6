ls tests/data/squeeze_xnnpack.pte -w gpu-kernels
