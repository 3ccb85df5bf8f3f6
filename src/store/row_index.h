/* Rows of a table in memory by what stands in some of its columns: made when SQL first
 * asks, as SQLite makes an automatic index. Private to store/. */
#ifndef DG_STORE_ROW_INDEX_H
#define DG_STORE_ROW_INDEX_H

#include "base/csr.h"
#include "base/text_set.h"
#include "store/tables.h"

/* Cells of a column by number; NULL has none. */
struct dg_cell_numbers {
    uint32_t *of_row;
    uint32_t n;
    bool of_ids; /* they are rows: numbers are those of the rows */
    struct dg_text_set texts;
    struct dg_int_set integers;
};

struct dg_row_index {
    uint32_t columns;         /* a bit for each */
    struct dg_int_set *pairs; /* what the second, third, ... column adds to a number */
    struct dg_csr rows;
    uint32_t n_keys;
};

/* Start from {.rows, .room}; end with dg_row_indexes_clear(). */
struct dg_row_indexes {
    const struct dg_table_rows *rows;
    size_t *room; /* bytes that may still be taken */
    struct dg_cell_numbers *numbers[DG_BULK_COLUMNS];
    struct dg_row_index *items;
    size_t n_items;
    struct dg_arena memory;
};

/* `columns` hold integers or texts. The pointer lives until the next call. NULL: there
 * is no room for it. */
const struct dg_row_index *dg_row_index(struct dg_row_indexes *indexes,
                                        uint32_t columns);

/* Rows whose `columns` are `cells`, in their order: *n of them. */
const uint32_t *dg_row_index_find(const struct dg_row_indexes *indexes,
                                  const struct dg_row_index *index,
                                  const struct dg_any *cells, uint32_t *n);
void dg_row_indexes_clear(struct dg_row_indexes *indexes);

#endif
