check tests/data/bert_xnnpack.pte tests/data/xnnpack.pte tests/data/dtypes_portable.pte --runtime 0.5 --select runtime tests/data/tosa.pte tests/data/mlx.pte
