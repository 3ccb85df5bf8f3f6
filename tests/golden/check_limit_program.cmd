check tests/data/mobilenet_v3_xnnpack.pte --program tests/data/mobilenet_v3.pt2 --limit delegated-share=95% --select budget
