/* Digests of bytes, as lower-case hexadecimal text. */
#ifndef DG_BASE_HASH_H
#define DG_BASE_HASH_H

#include "base/arena.h"
#include "base/bytes.h"

struct dg_text dg_sha256(struct dg_bytes bytes, struct dg_arena *memory);
struct dg_text dg_xxh3(struct dg_bytes bytes, struct dg_arena *memory); /* 128 bits */

#endif
