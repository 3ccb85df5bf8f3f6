/* Files that are no programs for delegraph, but that people have at hand. */
#ifndef DG_FORMATS_FOREIGN_H
#define DG_FORMATS_FOREIGN_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/error.h"

/* Fails with what the file is and what to do; DG_OK: not known either. */
enum dg_status dg_foreign_refuse(struct dg_bytes file, struct dg_error *err);

/* The same of a ZIP archive, by the entries that it has. Always fails. */
enum dg_status dg_foreign_refuse_zip(bool (*has)(void *context, const char *entry),
                                     void *context, struct dg_error *err);

#endif
