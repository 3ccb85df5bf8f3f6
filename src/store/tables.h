/* Reading the arrays of a dg_program as rows of SQL tables. Private to store/. */
#ifndef DG_STORE_TABLES_H
#define DG_STORE_TABLES_H

#include "store/bulk.h"
#include "store/program.h"

enum dg_table {
#define TABLE(field, row) DG_TABLE_##field,
    DG_TABLES(TABLE)
#undef TABLE
        DG_N_TABLES
};

struct dg_table_rows {
    struct dg_bulk bulk; /* first: put_cell() is given only this */
    enum dg_table table;
    const char *rows;
    int64_t artifact;
    int64_t bases[DG_N_TABLES]; /* what is added to row numbers to make ids */
};

/* Point `rows` at one table; artifact and bases stay. */
void dg_table_rows_begin(struct dg_table_rows *rows, const struct dg_program *program,
                         enum dg_table number);

void dg_table_free(struct dg_program *program, enum dg_table number);

/* The INSERT that copies what `rows` points at. */
void dg_table_insert_sql(const struct dg_table_rows *rows, char *sql, size_t size);

const char *dg_table_name(enum dg_table number);
bool dg_table_has_id(enum dg_table number);

/* DG_N_TABLES: there is none. */
enum dg_table dg_table_find(const char *name);

/* The number of a column by its name in SQL; -1: there is none. */
int dg_table_column_at(enum dg_table number, struct dg_text name);

/* What may stand in a column beside NULL. */
bool dg_table_holds_text(enum dg_table table, int column);   /* texts alone */
bool dg_table_holds_words(enum dg_table table, int column);  /* of a list of ours */
bool dg_table_holds_ids(enum dg_table table, int column);    /* of rows */
bool dg_table_is_indexable(enum dg_table table, int column); /* integers, or texts */

/* About how many rows share one value of that column. */
double dg_table_rows_like(const struct dg_program *program, enum dg_table table,
                          int column);

/* Whether that column is NULL in any row; whether it is not. */
bool dg_table_has_cell(const struct dg_table_rows *rows, int column, bool null);

/* What SQL reads there, but for blobs. */
struct dg_any dg_table_cell(const struct dg_table_rows *rows, size_t row, int column);

/* The same where integers or texts are asked for, in less time: of another type is 0,
 * or nothing. */
int64_t dg_table_int_at(const struct dg_table_rows *rows, size_t row, int column,
                        int64_t null);
struct dg_text dg_table_text_at(const struct dg_table_rows *rows, size_t row, int column);

/* Whether the rows lie in the order of the table's key: its id, or its first two
 * columns. False of tables with other keys. */
bool dg_table_is_sorted(const struct dg_table_rows *rows);

#endif
