/* The frame of 30 bytes around the FlatBuffers of XNNPACK and Vulkan. */
#ifndef DG_FORMATS_BLOB_FRAME_H
#define DG_FORMATS_BLOB_FRAME_H

#include "base/bytes.h"
#include "base/error.h"

struct dg_blob_parts {
    struct dg_bytes graph; /* the FlatBuffer: 8 bytes or more */
    struct dg_bytes data;  /* of constants without a key */
    bool has_header;       /* no: the blob is all FlatBuffer, and there is no data */
};

/* `magic` has four letters; a blob without them has no header. */
enum dg_status dg_blob_find_parts(struct dg_bytes blob, const char *magic,
                                  struct dg_blob_parts *parts, struct dg_error *err);

#endif
