/* The ZIP reader: index, look-up and content of every entry, archives in archives. */
#include <stdlib.h>

#include "formats/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_archive(struct dg_bytes file, int depth)
{
    struct dg_zip zip;
    struct dg_error err = {0};
    struct dg_bytes content;
    bool crc_matches;

    if (dg_zip_open(&zip, file, &err) && !err.text[0])
        abort();
    for (size_t i = 0; i < zip.n_entries; i++) {
        const struct dg_zip_entry *entry = &zip.entries[i];

        if (dg_zip_find(&zip, entry->name) != entry)
            abort();
        if (dg_zip_read(&zip, entry, &content, &crc_matches, &err))
            continue;
        if (content.size != entry->size)
            abort();
        if (depth && dg_zip_recognises(content))
            read_archive(content, depth - 1);
    }
    dg_zip_clear(&zip);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_archive((struct dg_bytes){data, size}, 2);
    return 0;
}
