/* Every format of blobs that is read. */
BLOB(xnnpack)
BLOB(vulkan)
BLOB(tosa)
BLOB(native)
BLOB(mlx)
