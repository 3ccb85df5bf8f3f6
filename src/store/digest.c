/* Digests of what a program stores. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sorted.h"
#include "store/database.h"

enum {
    SMALL = 1 << 16,      /* bytes that are read whatever else there is */
    REPORTED = 256 << 20, /* bytes of a file whose SHA-256 takes some 0.2 s */
};

/* What may have a digest. */
struct part {
    struct dg_bytes bytes;
    struct dg_digest *digest;
    bool needed; /* its bytes matter, whatever else there is */
};

struct parts {
    struct part *items;
    size_t n_items;
};

static void digest_bytes(const struct part *part, enum dg_hash hash,
                         struct dg_mapping *mapping, struct dg_arena *memory)
{
    bool wanted = hash == DG_HASH_ALL && !part->digest->sha256.data;

    dg_digest(wanted ? &part->digest->sha256 : NULL, &part->digest->xxh3, part->bytes,
              mapping, memory);
}

static bool ends_with(struct dg_text text, const char *end)
{
    size_t size = strlen(end);

    return text.size >= size && !memcmp(text.data + text.size - size, end, size);
}

enum { HEX_DIGITS = 64 }; /* of a SHA-256 */

static bool is_hex(struct dg_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (!(text.data[i] >= '0' && text.data[i] <= '9') &&
            !(text.data[i] >= 'a' && text.data[i] <= 'f'))
            return false;
    }
    return text.size == HEX_DIGITS;
}

/* XNNPACK's keys of weights are the SHA-256 of what they lead to, those of scales have
 * it behind "scale_", AOTInductor's before "_so_blob" and "_weights_blob". */
static bool has_digest(struct dg_text key)
{
    static const char scale[] = "scale_";
    size_t start = sizeof(scale) - 1;

    if (ends_with(key, "_so_blob") || ends_with(key, "_weights_blob"))
        return true;
    if (key.size == start + HEX_DIGITS && !memcmp(key.data, scale, start))
        key = (struct dg_text){key.data + start, HEX_DIGITS};
    return is_hex(key);
}

static void digest_keyed(struct dg_program *program, const struct dg_file *given,
                         struct dg_mapping *mapping)
{
    for (size_t i = 0; i < program->n_named_data; i++) {
        const struct dg_named_data_row *named = &program->named_data[i];
        struct dg_segment_row *row;

        if (!has_digest(named->key) ||
            named->segment_idx >= (int64_t)program->n_segments)
            continue;
        row = &program->segments[named->segment_idx];
        if (row->digest.xxh3.data && !row->digest.sha256.data)
            dg_digest(&row->digest.sha256, NULL,
                      dg_slice(given->bytes, (size_t)row->file_offset, row->size_bytes),
                      mapping, &program->memory);
    }
}

static void add_part(struct parts *parts, struct dg_bytes bytes,
                     struct dg_digest *digest, bool needed)
{
    if (bytes.data)
        *DG_APPEND(parts->items, parts->n_items) =
            (struct part){bytes, digest, needed || bytes.size <= SMALL};
}

/* The first state of a buffer is compared with zeros. What became nodes is compared as
 * nodes. */
static void list_parts(struct parts *parts, struct dg_program *program,
                       struct dg_bytes file, enum dg_hash hash)
{
    for (size_t i = 0; i < program->n_segments; i++) {
        struct dg_segment_row *row = &program->segments[i];

        if (hash < DG_HASH_ALL && !strcmp(row->kind, "model"))
            continue;
        if (row->file_offset >= 0 && row->stored_bytes == row->size_bytes &&
            dg_inside((uint64_t)row->file_offset, row->size_bytes, file.size))
            add_part(parts, dg_slice(file, (size_t)row->file_offset, row->size_bytes),
                     &row->digest, false);
    }
    for (size_t i = 0; i < program->n_delegates; i++)
        add_part(parts, program->delegates[i].blob, &program->delegates[i].digest,
                 false);
    for (size_t i = 0; i < program->n_constants; i++)
        add_part(parts, program->constants[i].bytes, &program->constants[i].digest,
                 !strcmp(program->constants[i].kind, "buffer"));
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *x = a, *y = b;

    if (x->bytes.size != y->bytes.size)
        return x->bytes.size < y->bytes.size ? -1 : 1;
    return (x->bytes.data > y->bytes.data) - (x->bytes.data < y->bytes.data);
}

/* Parts of one size, some of which are at other places than others, or needed. */
static bool must_read(const struct part *parts, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (parts[i].needed || parts[i].bytes.data != parts->bytes.data)
            return true;
    return false;
}

static void digest_equal(struct parts *parts, struct dg_mapping *mapping,
                         struct dg_arena *memory)
{
    dg_sort(parts->items, parts->n_items, sizeof(*parts->items), compare_parts);
    for (size_t i = 0, n; i < parts->n_items; i += n) {
        struct part *first = &parts->items[i];
        bool read;

        for (n = 1; i + n < parts->n_items && first[n].bytes.size == first->bytes.size;)
            n++;
        read = must_read(first, n);
        for (size_t k = 0; k < n; k++)
            if (read)
                digest_bytes(&first[k], DG_HASH_EQUAL, mapping, memory);
            else
                first[k].digest->xxh3 =
                    dg_format(memory, "%zu bytes", first->bytes.size);
    }
}

void dg_digest_file(struct dg_digest *whole, struct dg_program *program,
                    const struct dg_file *given)
{
    struct dg_mapping mapping = {0};
    struct parts parts = {0};
    struct part all = {given->bytes, whole, true};

    if (given->mapped)
        mapping.file = given->bytes;
    whole->sha256 = given->sha256;
    if (given->hash == DG_HASH_ALL)
        digest_bytes(&all, given->hash, &mapping, &program->memory);
    else if (given->hash == DG_HASH_REPORT && given->bytes.size <= REPORTED)
        dg_digest(&whole->sha256, NULL, given->bytes, &mapping, &program->memory);
    list_parts(&parts, program, given->bytes, given->hash);
    if (given->hash < DG_HASH_QUICK)
        digest_equal(&parts, &mapping, &program->memory);
    else
        for (size_t i = 0; i < parts.n_items; i++)
            digest_bytes(&parts.items[i], given->hash, &mapping, &program->memory);
    digest_keyed(program, given, &mapping);
    free(parts.items);
}
