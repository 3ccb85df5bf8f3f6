/* Hashes of what two things must share to be drawn as one. */
#ifndef DG_REPORTS_PICTURE_STRUCTURAL_HASH_H
#define DG_REPORTS_PICTURE_STRUCTURAL_HASH_H

#include "base/bytes.h"

static inline uint64_t dg_mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
}

static inline uint64_t dg_mix_byte(uint64_t hash, char byte)
{
    return (hash ^ (unsigned char)byte) * 0x100000001b3u;
}

/* No text is not the same as an empty one. */
static inline uint64_t dg_mix_text(uint64_t hash, struct dg_text text)
{
    for (size_t i = 0; i < text.size; i++)
        hash = dg_mix_byte(hash, text.data[i]);
    return dg_mix(hash, text.data != NULL);
}

#endif
