partition tests/data/several_models.pt2 --mode aoti --backend-id MetalBackend --spec a=b -o -
