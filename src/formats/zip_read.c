/* The content of a ZIP entry: in place, or inflated within limits. */
#include <libdeflate.h>

#include "formats/zip_parts.h"

/* With the file itself and the program: 4 times the file and 64 MB. */
enum { INFLATED_RATIO = 3, INFLATED_MORE = 48 << 20 };

/* One deflate stream, which must fill `out` and have nothing behind it. */
static bool inflate_exactly(uint8_t *out, uint64_t size, struct dg_bytes in)
{
    struct libdeflate_decompressor *inflater = libdeflate_alloc_decompressor();
    size_t n_read = 0, n_written = 0;
    enum libdeflate_result result;

    if (!inflater)
        dg_out_of_memory();
    result = libdeflate_deflate_decompress_ex(inflater, in.data, in.size, out, size,
                                              &n_read, &n_written);
    libdeflate_free_decompressor(inflater);
    return !result && n_written == size && n_read == in.size;
}

static uint64_t limit_of(const struct dg_zip *zip)
{
    return INFLATED_RATIO * (uint64_t)zip->file.size + INFLATED_MORE;
}

bool dg_zip_spend(struct dg_zip *zip, uint64_t size)
{
    if (size > limit_of(zip) - zip->inflated)
        return false;
    zip->inflated += size;
    return true;
}

static enum dg_status inflate_entry(struct dg_zip *zip,
                                    const struct dg_zip_entry *entry,
                                    struct dg_bytes *content, struct dg_error *err)
{
    uint8_t *out;

    if (!dg_zip_spend(zip, entry->size))
        return dg_fail(err, DG_ERR_FORMAT,
                       "entry %s would inflate to %llu bytes; expected all of the "
                       "archive to take at most %llu",
                       dg_zip_show(entry->name).text, (unsigned long long)entry->size,
                       (unsigned long long)limit_of(zip));
    out = dg_alloc(&zip->memory, entry->size + 1, 1);
    if (!inflate_exactly(out, entry->size, entry->stored))
        return dg_fail(
            err, DG_ERR_FORMAT,
            "entry %s: its compressed bytes do not inflate to the %llu bytes "
            "declared",
            dg_zip_show(entry->name).text, (unsigned long long)entry->size);
    *content = (struct dg_bytes){out, entry->size};
    return DG_OK;
}

enum dg_status dg_zip_content(struct dg_zip *zip, const struct dg_zip_entry *entry,
                              struct dg_bytes *content, struct dg_error *err)
{
    *content = entry->stored;
    if (entry->deflated)
        return inflate_entry(zip, entry, content, err);
    if (entry->method)
        return dg_fail(err, DG_ERR_FORMAT,
                       "entry %s is compressed with method %u; expected 0 (stored) or "
                       "8 (deflate)",
                       dg_zip_show(entry->name).text, (unsigned)entry->method);
    return DG_OK;
}

enum dg_status dg_zip_read(struct dg_zip *zip, const struct dg_zip_entry *entry,
                           struct dg_bytes *content, bool *crc_matches,
                           struct dg_error *err)
{
    enum dg_status status = dg_zip_content(zip, entry, content, err);

    *crc_matches =
        !status && libdeflate_crc32(0, content->data, content->size) == entry->crc;
    return status;
}
