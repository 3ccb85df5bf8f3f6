/* Rows of one store in another. Private to store/. */
#ifndef DG_STORE_COPY_ROWS_H
#define DG_STORE_COPY_ROWS_H

#include "store/store.h"

/* Make of a number in a column what it is in the copy; the first column is 0. False: it
 * is there no more. */
typedef bool dg_renumber_fn(const void *context, int column, int64_t *number);

struct dg_row_copy {
    struct dg_store *to;
    struct dg_text table;
    const char *names;        /* of columns, with commas between them; NULL: all */
    int skipped;              /* columns of the query that stand before those */
    dg_renumber_fn *renumber; /* NULL: cells stay as they are */
    const void *context;
};

/* Insert all rows of `from`. DG_ERR_FORMAT where one breaks a constraint, or refers
 * to what is not copied. */
enum dg_status dg_store_copy_rows(const struct dg_row_copy *copy, struct dg_rows *from,
                                  struct dg_error *err);

#endif
