/* What the files of the ZIP reader share. */
#ifndef DG_FORMATS_ZIP_PARTS_H
#define DG_FORMATS_ZIP_PARTS_H

#include "formats/zip.h"

enum { DG_ZIP_CENTRAL_SIZE = 46 };

/* Where the central directory lies. */
struct dg_zip_directory {
    uint64_t disk, start_disk, here, count, size, offset;
    uint64_t limit; /* where the first of the end records begins */
};

/* Find the directory from the end of the file and check that it can be one. */
enum dg_status dg_zip_find_directory(struct dg_zip_directory *directory,
                                     struct dg_bytes file, struct dg_error *err);

/* Read the entry at `*at` of the directory, hold its local header to it, and step over
 * it. */
enum dg_status dg_zip_read_entry(struct dg_zip_entry *entry, uint64_t *at,
                                 struct dg_bytes file,
                                 const struct dg_zip_directory *directory,
                                 struct dg_error *err);

/* Whether a record of the central directory begins at `at`. */
bool dg_zip_is_central(const uint8_t *at);

/* A name for messages: short, without control characters. */
struct dg_zip_shown {
    char text[104];
};
struct dg_zip_shown dg_zip_show(struct dg_text name);

#endif
