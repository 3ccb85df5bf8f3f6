/* Archives of torch.save inside of a .pt2: their pickle and their storages. */
#include "formats/pt2.h"

int64_t dg_pt2_offset(const struct dg_pt2 *pt2, struct dg_bytes bytes)
{
    uintptr_t file = (uintptr_t)pt2->file.data, data = (uintptr_t)bytes.data;

    if (!bytes.data || data < file ||
        !dg_inside(data - file, bytes.size, pt2->file.size))
        return DG_NONE;
    return (int64_t)(data - file);
}

struct dg_text dg_pt2_int_list(struct dg_pt2 *pt2, const int64_t *items, size_t count)
{
    struct dg_writer *out = &pt2->scratch;

    out->size = 0;
    dg_write(out, "[", 1);
    for (size_t i = 0; i < count; i++)
        dg_print(out, i ? ",%lld" : "%lld", (long long)items[i]);
    dg_write(out, "]", 1);
    return dg_pt2_keep(pt2, out);
}

static enum dg_status read_pickle(struct dg_pt2 *pt2, struct dg_pt2_saved *saved,
                                  const char *source)
{
    const struct dg_zip_entry *entry =
        dg_zip_find_below(&saved->zip, saved->root, "", dg_text("data.pkl"));
    struct dg_bytes content;
    enum dg_status status;
    bool crc_matches;

    if (!entry)
        return dg_fail(pt2->err, DG_ERR_FORMAT, "%s: expected an entry data.pkl",
                       source);
    status = dg_zip_read(&saved->zip, entry, &content, &crc_matches, pt2->err);
    if (status)
        return status;
    if (!crc_matches && entry->crc)
        dg_remark(pt2->program, "format/pt2-archive",
                  "%s: the CRC-32 of data.pkl does not match its content", source);
    return dg_pickle_read(&saved->value, content, source, &pt2->program->memory,
                          pt2->err);
}

enum dg_status dg_pt2_saved_open(struct dg_pt2 *pt2, struct dg_pt2_saved *saved,
                                 struct dg_bytes archive, const char *source)
{
    enum dg_status status = dg_zip_open(&saved->zip, archive, pt2->err);
    struct dg_error inner = *pt2->err;
    const char *slash;

    if (status)
        return dg_fail(pt2->err, status, "%s: %s", source, inner.text);
    if (saved->zip.n_entries) {
        saved->root = saved->zip.entries[0].name;
        slash = memchr(saved->root.data, '/', saved->root.size);
        saved->root.size = slash ? (size_t)(slash + 1 - saved->root.data) : 0;
    }
    return read_pickle(pt2, saved, source);
}

void dg_pt2_saved_close(struct dg_pt2 *pt2, struct dg_pt2_saved *saved)
{
    dg_arena_adopt(&pt2->program->memory, &saved->zip.memory);
    *saved = (struct dg_pt2_saved){0};
}

bool dg_pt2_saved_storage(const struct dg_pt2_saved *saved, struct dg_text key,
                          struct dg_bytes *bytes)
{
    const struct dg_zip_entry *entry =
        key.data && saved->root.size < 200
            ? dg_zip_find_below(&saved->zip, saved->root, "data/", key)
            : NULL;

    *bytes = entry && !entry->method ? entry->stored : (struct dg_bytes){0};
    return entry != NULL;
}
