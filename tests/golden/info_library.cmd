info tests/data/aoti_blobs.pte
