run tests/data/mlp.pt2 --expected tests/fuzz/corpus/tensor_file/arrays.npz
