/* Digests of bytes. */
#include "base/hash.h"

#include <nettle/base64.h>
#include <nettle/sha2.h>
#include <sys/mman.h>
#include <xxhash.h>

enum { AT_ONCE = 16 << 20 };

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

/* A page is let go as soon as some other 16 MiB were read. */
static void note_read(struct dg_mapping *mapping, size_t size)
{
    mapping->read += size;
    if (!mapping->file.data || mapping->read < AT_ONCE)
        return;
    madvise((void *)(uintptr_t)mapping->file.data, mapping->file.size, MADV_DONTNEED);
    mapping->read = 0;
}

static struct dg_text xxh3_text(XXH128_hash_t hash, struct dg_arena *memory)
{
    XXH128_canonical_t digest;

    XXH128_canonicalFromHash(&digest, hash);
    return hexadecimal(digest.digest, sizeof(digest.digest), memory);
}

/* States of both digests; `quick` NULL: not wanted, or there is but one stretch. */
struct digests {
    struct sha256_ctx sha256;
    XXH3_state_t *quick;
};

static void begin(struct digests *digests, bool quick)
{
    sha256_init(&digests->sha256);
    digests->quick = quick ? XXH3_createState() : NULL;
    if (quick && !digests->quick)
        dg_out_of_memory();
    if (quick)
        XXH3_128bits_reset(digests->quick);
}

void dg_digest(struct dg_text *sha256, struct dg_text *xxh3, struct dg_bytes bytes,
               struct dg_mapping *mapping, struct dg_arena *memory)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    struct digests digests;

    begin(&digests, xxh3 && bytes.size > AT_ONCE);
    if (xxh3 && !digests.quick)
        *xxh3 = xxh3_text(XXH3_128bits(bytes.data, bytes.size), memory);
    for (size_t at = 0, n; at < bytes.size; at += n) {
        n = bytes.size - at < AT_ONCE ? bytes.size - at : AT_ONCE;
        if (sha256)
            sha256_update(&digests.sha256, n, bytes.data + at);
        if (digests.quick)
            XXH3_128bits_update(digests.quick, bytes.data + at, n);
        note_read(mapping, n);
    }
    if (digests.quick)
        *xxh3 = xxh3_text(XXH3_128bits_digest(digests.quick), memory);
    XXH3_freeState(digests.quick);
    if (!sha256)
        return;
    sha256_digest(&digests.sha256, sizeof(digest), digest);
    *sha256 = hexadecimal(digest, sizeof(digest), memory);
}

struct dg_text dg_sha256_of_file(struct dg_bytes file, bool mapped,
                                 struct dg_arena *memory)
{
    struct dg_mapping mapping = {0};
    struct dg_text text;

    if (mapped)
        mapping.file = file;
    dg_digest(&text, NULL, file, &mapping, memory);
    return text;
}

struct dg_text dg_sha256(struct dg_bytes bytes, struct dg_arena *memory)
{
    return dg_sha256_of_file(bytes, false, memory);
}

struct dg_text dg_sha256_base64(struct dg_bytes bytes, struct dg_arena *memory)
{
    uint8_t digest[SHA256_DIGEST_SIZE];
    size_t size = BASE64_ENCODE_RAW_LENGTH(sizeof(digest));
    char *text = dg_alloc(memory, size + 1, 1);
    struct sha256_ctx context;

    sha256_init(&context);
    sha256_update(&context, bytes.size, bytes.data);
    sha256_digest(&context, sizeof(digest), digest);
    base64_encode_raw(text, sizeof(digest), digest);
    return (struct dg_text){text, size};
}

struct dg_text dg_xxh3(struct dg_bytes bytes, struct dg_arena *memory)
{
    struct dg_mapping none = {0};
    struct dg_text text;

    dg_digest(NULL, &text, bytes, &none, memory);
    return text;
}

uint64_t dg_xxh3_64(struct dg_text text)
{
    return XXH3_64bits(text.size ? text.data : "", text.size);
}
