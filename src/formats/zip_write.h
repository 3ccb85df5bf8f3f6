/* Writing a ZIP archive of stored entries. */
#ifndef DG_FORMATS_ZIP_WRITE_H
#define DG_FORMATS_ZIP_WRITE_H

#include "base/bytes.h"
#include "base/error.h"

struct dg_zip_writer;

/* Append an entry, whose content are `head` and `rest`, one behind the other. An
 * archive takes at most 4 GB, and 65,535 entries. */
enum dg_status dg_zip_add(struct dg_zip_writer *zip, struct dg_text name,
                          struct dg_bytes head, struct dg_bytes rest);

/* Write what `fill` adds as the file `path`, which appears when it is whole; a pipe or
 * a device is written through. */
typedef enum dg_status dg_zip_fill_fn(struct dg_zip_writer *zip, void *data,
                                      struct dg_error *err);
enum dg_status dg_zip_write(const char *path, dg_zip_fill_fn *fill, void *data,
                            struct dg_error *err);

/* The same into memory that the caller frees. */
enum dg_status dg_zip_make(struct dg_bytes *archive, dg_zip_fill_fn *fill, void *data,
                           struct dg_error *err);

#endif
