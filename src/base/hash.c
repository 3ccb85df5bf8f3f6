/* Digests of bytes. */
#include "base/hash.h"

#include <nettle/sha2.h>
#include <xxhash.h>

static struct dg_text hexadecimal(const uint8_t *digest, size_t size,
                                  struct dg_arena *memory)
{
    static const char digits[] = "0123456789abcdef";
    char *text = dg_alloc(memory, 2 * size + 1, 1);

    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    return (struct dg_text){text, 2 * size};
}

struct dg_text dg_sha256(struct dg_bytes bytes, struct dg_arena *memory)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct sha256_ctx state;

    sha256_init(&state);
    sha256_update(&state, bytes.size, bytes.data);
    sha256_digest(&state, sizeof(digest), digest);
    return hexadecimal(digest, sizeof(digest), memory);
}

struct dg_text dg_xxh3(struct dg_bytes bytes, struct dg_arena *memory)
{
    XXH128_canonical_t digest;

    XXH128_canonicalFromHash(&digest, XXH3_128bits(bytes.data, bytes.size));
    return hexadecimal(digest.digest, sizeof(digest.digest), memory);
}
