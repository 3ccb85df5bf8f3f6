/* Rows of a query as text. A column name may end with a mark, which is not shown:
 * ":json" (the text is JSON already), ":bool", ":id" (kept for dg_row_id(), never
 * shown). Blobs are text where they are printable UTF-8, otherwise "hex:" and digits.
 */
#ifndef DG_REPORTS_ROWS_H
#define DG_REPORTS_ROWS_H

#include "base/json_writer.h"
#include "store/store.h"

enum dg_row_form {
    DG_ROW_JSON,  /* {"name":"add","shape":[1,2]} */
    DG_ROW_CSV,   /* RFC 4180 */
    DG_ROW_PLAIN, /* tab separated */
};

/* The present row, without an end of line. */
void dg_write_row(struct dg_writer *out, const struct dg_rows *rows,
                  enum dg_row_form form);

/* The names of the columns, and the present row, behind one more cell, with an end of
 * line. */
void dg_write_row_names(struct dg_writer *out, const struct dg_rows *rows,
                        const char *name, enum dg_row_form form);
void dg_write_row_of(struct dg_writer *out, const struct dg_rows *rows, const char *name,
                     const char *value, enum dg_row_form form);

/* A cell of CSV. Text that a spreadsheet would compute gets an apostrophe, which makes
 * it text there, too. */
void dg_write_csv(struct dg_writer *out, struct dg_text text, bool is_number);

/* A member for each column. */
void dg_put_members(struct dg_json_writer *json, const struct dg_rows *rows);

/* The same as `"key":value` without braces. */
void dg_write_members(struct dg_writer *out, const struct dg_rows *rows);

/* One cell as it stands in a table for people. */
void dg_write_cell_text(struct dg_writer *out, const struct dg_rows *rows, int column);

/* The name of a column without its mark; its length in *size. */
const char *dg_row_column(const struct dg_rows *rows, int column, size_t *size);

/* The first column that is marked ":id", or 0. */
int64_t dg_row_id(const struct dg_rows *rows);

/* All rows in one form: JSON as lines (jsonl), the others with a header. */
enum dg_status dg_write_rows(struct dg_writer *out, struct dg_rows *rows,
                             enum dg_row_form form, struct dg_error *err);

/* All rows as a table with aligned columns, for people; each line begins with `indent`
 * blanks. With `brief`, columns that are empty in all rows are left out. */
enum dg_status dg_write_table(struct dg_writer *out, struct dg_rows *rows,
                              size_t indent, bool brief, struct dg_error *err);

/* All rows as "text" (a table, as `brief` says), "plain", "jsonl" or "csv". */
enum dg_status dg_write_rows_as(struct dg_writer *out, struct dg_rows *rows,
                                const char *format, bool brief, struct dg_error *err);

/* All rows of `sql` as a JSON array of objects, with ?1 = id. */
enum dg_status dg_write_query(struct dg_writer *out, struct dg_store *store,
                              const char *sql, int64_t id, struct dg_error *err);

#endif
