check tests/data/aoti_external.pte --data tests/data/aoti_external_aoti_cuda_blob.ptd --select cuda,data
