show tests/data/aoti_blobs.pte triton_red_fused_sum_1 --format json
