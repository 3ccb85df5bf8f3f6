/* Digests of what a program stores. */
#include "base/hash.h"
#include "store/database.h"

void dg_digest_bytes(struct dg_digest *digest, struct dg_bytes bytes, enum dg_hash hash,
                     struct dg_arena *memory)
{
    if (!bytes.data)
        return;
    if (hash == DG_HASH_ALL)
        digest->sha256 = dg_sha256(bytes, memory);
    digest->xxh3 = dg_xxh3(bytes, memory);
}

static bool ends_with(struct dg_text text, const char *end)
{
    size_t size = strlen(end);

    return text.size >= size && !memcmp(text.data + text.size - size, end, size);
}

/* AOTInductor's keys are made of the SHA-256 of what they lead to. */
static void digest_keyed(struct dg_program *program, const struct dg_file *given)
{
    for (size_t i = 0; i < program->n_named_data; i++) {
        const struct dg_named_data_row *named = &program->named_data[i];
        struct dg_segment_row *row;

        if ((!ends_with(named->key, "_so_blob") &&
             !ends_with(named->key, "_weights_blob")) ||
            named->segment_idx >= (int64_t)program->n_segments)
            continue;
        row = &program->segments[named->segment_idx];
        if (row->digest.xxh3.data && !row->digest.sha256.data)
            row->digest.sha256 = dg_sha256(
                dg_slice(given->bytes, (size_t)row->file_offset, row->size_bytes),
                &program->memory);
    }
}

void dg_digest_parts(struct dg_program *program, const struct dg_file *given)
{
    struct dg_bytes file = given->bytes;

    for (size_t i = 0; i < program->n_segments; i++) {
        struct dg_segment_row *row = &program->segments[i];

        if (row->file_offset >= 0 && row->stored_bytes == row->size_bytes &&
            dg_inside((uint64_t)row->file_offset, row->size_bytes, file.size))
            dg_digest_bytes(&row->digest,
                            dg_slice(file, (size_t)row->file_offset, row->size_bytes),
                            given->hash, &program->memory);
    }
    digest_keyed(program, given);
    for (size_t i = 0; i < program->n_delegates; i++)
        dg_digest_bytes(&program->delegates[i].digest, program->delegates[i].blob,
                        given->hash, &program->memory);
    for (size_t i = 0; i < program->n_constants; i++)
        dg_digest_bytes(&program->constants[i].digest, program->constants[i].bytes,
                        given->hash, &program->memory);
}
