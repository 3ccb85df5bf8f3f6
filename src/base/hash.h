/* Digests of bytes, as lower-case hexadecimal text or as a number. */
#ifndef DG_BASE_HASH_H
#define DG_BASE_HASH_H

#include "base/arena.h"
#include "base/bytes.h"

struct dg_text dg_sha256(struct dg_bytes bytes, struct dg_arena *memory);
struct dg_text dg_sha256_base64(struct dg_bytes bytes, struct dg_arena *memory);
struct dg_text dg_xxh3(struct dg_bytes bytes, struct dg_arena *memory); /* 128 bits */
uint64_t dg_xxh3_64(struct dg_text text);

/* A file that is mapped, and how much of it was read since its pages were let go. Bytes
 * of it stay valid: the next who reads them gets them from the file again. */
struct dg_mapping {
    struct dg_bytes file; /* data NULL: none is mapped */
    size_t read;
};

/* The digests that are wanted (not NULL) in one pass, which leaves few pages of the
 * file in memory, however large it is. */
void dg_digest(struct dg_text *sha256, struct dg_text *xxh3, struct dg_bytes bytes,
               struct dg_mapping *mapping, struct dg_arena *memory);

/* Of a file that may be mapped. */
struct dg_text dg_sha256_of_file(struct dg_bytes file, bool mapped,
                                 struct dg_arena *memory);

#endif
