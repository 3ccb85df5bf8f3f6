/* A reader turns one file format into the rows of a dg_program. Its input is untrusted:
 * bytes that cannot be read as the format are an error with the place (byte offset or
 * JSON path) and what was expected; a program that is merely wrong loads as far as it
 * can, and rules report it. */
#ifndef DG_FORMATS_READER_H
#define DG_FORMATS_READER_H

#include <stdbool.h>

#include "base/bytes.h"
#include "base/error.h"
#include "store/program.h"

struct dg_reader {
    const char *name;                         /* "pte" */
    bool (*recognises)(struct dg_bytes file); /* looks at magic numbers only */
    /* Fill `program`, which starts from {0}. Never hash; never touch bulk data.
     * `verify_all`: check the CRC of every archive entry, not only of those parsed. */
    enum dg_status (*read)(struct dg_bytes file, bool verify_all,
                           struct dg_program *program, struct dg_error *err);
};

#define READER(name) extern const struct dg_reader dg_reader_##name;
#include "formats/list.h"
#undef READER

/* A .pt2 with the weights that its delegates took along, for who looks for them. */
extern const struct dg_reader dg_pt2_with_weights;

extern const struct dg_reader *const dg_readers[]; /* ends with NULL */

/* The reader for this content; fails with what the first bytes look like. */
enum dg_status dg_reader_find(const struct dg_reader **reader, struct dg_bytes file,
                              struct dg_error *err);

#endif
