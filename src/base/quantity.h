/* Bytes and counts as people read them. */
#ifndef DG_BASE_QUANTITY_H
#define DG_BASE_QUANTITY_H

#include "base/text.h"

/* "1.5 MiB" */
void dg_write_size(struct dg_writer *out, int64_t bytes);
struct dg_text dg_size_text(struct dg_arena *memory, int64_t bytes);

/* "12.3 us" of nanoseconds */
void dg_write_duration(struct dg_writer *out, double ns);

/* "1.2 M" */
void dg_write_count(struct dg_writer *out, int64_t count);

#endif
