partition tests/data/counter_tagged.pt2 --mode aoti --unsupported-ops aten::mul.Tensor --lower --format json
