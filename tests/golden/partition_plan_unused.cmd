partition tests/data/squeeze_core.pt2 --supported-ops aten::_native_batch_norm_legit_no_training.default,_operator.getitem --backend-id DemoBackend -o -
