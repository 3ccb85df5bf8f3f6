/* What the files that read rows of a dg_program share: where its columns lie. Private
 * to store/tables.c and store/table_rows.c. */
#ifndef DG_STORE_COLUMNS_H
#define DG_STORE_COLUMNS_H

#include "store/tables.h"

enum dg_cell_type {
    ID,       /* number of the row itself, from 1 on, across programs */
    POSITION, /* of the row in its program, from 0 on */
    ARTIFACT, /* of the program */
    REF,      /* row of another table */
    INT,      /* int64_t; DG_NONE is NULL */
    NUMBER,   /* int64_t that may be -1, and uint64_t */
    TEXT,     /* struct dg_text */
    STRING,   /* const char * */
    BLOB,     /* struct dg_bytes */
    ANY,      /* struct dg_any */
    OP_NAMESPACE,
    OP_ARGS,
    OP_RETURNS,
    OP_FLAGS,
};

struct dg_table_column {
    enum dg_cell_type type;
    size_t offset;
    const char *name;     /* in SQL; of a REF maybe without "_id" */
    enum dg_table target; /* of REF */
    size_t through; /* where a pointer to what has the cell lies; 0: the row has it */
};

struct dg_table_layout {
    const char *name;
    size_t rows, n_rows; /* offsets in dg_program */
    size_t row_size;
    struct dg_table_column columns[DG_BULK_COLUMNS];
    int n_columns;
};

/* By enum dg_table. */
extern const struct dg_table_layout dg_table_layouts[DG_N_TABLES];

#endif
