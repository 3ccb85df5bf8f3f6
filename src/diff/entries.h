/* What the entries of an archive hold, compressed or not. Start from {.file = bytes};
 * end with dg_diff_entries_clear(), after which none of it is there. */
#ifndef DG_DIFF_ENTRIES_H
#define DG_DIFF_ENTRIES_H

#include "formats/zip.h"

struct dg_diff_entries {
    struct dg_bytes file; /* data NULL: it is not there */
    struct dg_zip zip;
    bool opened, failed;
    struct dg_bytes *contents; /* of an entry, once it was asked for */
    size_t n_contents;
};

/* Entry `number` of the central directory, if it has `size` bytes; data NULL: it cannot
 * be read. */
struct dg_bytes dg_diff_entry(struct dg_diff_entries *entries, int64_t number,
                              int64_t size);
void dg_diff_entries_clear(struct dg_diff_entries *entries);

#endif
