/* Every format of blobs that is read. */
BLOB(xnnpack)
