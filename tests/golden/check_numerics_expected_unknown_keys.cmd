check tests/data/mlp.pt2 --numerics --expected tests/fuzz/corpus/tensor_file/arrays.npz
