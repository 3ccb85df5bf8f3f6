/* Entries of an archive, inflated once. */
#include "diff/entries.h"

#include <stdlib.h>

static bool open_archive(struct dg_diff_entries *entries)
{
    struct dg_error ignored = {0};

    if (entries->opened || entries->failed)
        return !entries->failed;
    entries->opened = entries->file.data && dg_zip_recognises(entries->file);
    entries->failed =
        !entries->opened || dg_zip_open(&entries->zip, entries->file, &ignored);
    if (entries->failed)
        return false;
    entries->n_contents = entries->zip.n_entries;
    entries->contents = dg_zeroed(entries->n_contents, sizeof(*entries->contents));
    return true;
}

struct dg_bytes dg_diff_entry(struct dg_diff_entries *entries, int64_t number,
                              int64_t size)
{
    struct dg_bytes none = {0}, *content;
    struct dg_error ignored = {0};
    bool crc_matches;

    if (number < 0 || !open_archive(entries) || (size_t)number >= entries->n_contents ||
        size < 0 || entries->zip.entries[number].size != (uint64_t)size)
        return none;
    content = &entries->contents[number];
    if (!content->data && dg_zip_read(&entries->zip, &entries->zip.entries[number],
                                      content, &crc_matches, &ignored))
        *content = none;
    return *content;
}

void dg_diff_entries_clear(struct dg_diff_entries *entries)
{
    if (entries->opened)
        dg_zip_clear(&entries->zip);
    free(entries->contents);
    *entries = (struct dg_diff_entries){0};
}
