/* Rows of a dg_program as cells that SQL reads. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/ops.h"
#include "store/columns.h"

/* What comes before "::", or before the first "." of a Python name. */
static struct dg_text namespace_of(struct dg_text name)
{
    for (size_t i = 0; i + 1 < name.size; i++) {
        if (!memcmp(name.data + i, "::", 2))
            return (struct dg_text){name.data, i};
    }
    for (size_t i = 0; i < name.size; i++) {
        if (name.data[i] == '.')
            return (struct dg_text){name.data, i};
    }
    return name;
}

static struct dg_any integer(int64_t number)
{
    return (struct dg_any){.type = DG_INTEGER, .integer = number};
}

static struct dg_any text_or_null(struct dg_text text)
{
    return (struct dg_any){.type = text.data ? DG_TEXT : DG_NULL, .text = text};
}

static struct dg_any number_or_null(bool there, int64_t number)
{
    return there ? integer(number) : (struct dg_any){0};
}

static struct dg_any of_op(enum dg_cell_type type, struct dg_text name)
{
    const struct dg_op *op;

    if (type == OP_NAMESPACE)
        return text_or_null(namespace_of(name));
    op = dg_op_find(name.data, name.size);
    if (type == OP_FLAGS)
        return integer(op ? op->flags : 0);
    return op ? text_or_null(dg_text(type == OP_ARGS ? op->args : op->returns))
              : (struct dg_any){0};
}

static const void *cell_at(const struct dg_table_rows *rows, size_t row,
                           const struct dg_table_column *column)
{
    const char *at = rows->rows + row * dg_table_layouts[rows->table].row_size;

    if (column->through)
        at = *(const char *const *)(at + column->through);
    return at + column->offset;
}

struct dg_any dg_table_cell(const struct dg_table_rows *rows, size_t row, int number)
{
    const struct dg_table_column *column =
        &dg_table_layouts[rows->table].columns[number];
    const void *cell = cell_at(rows, row, column);
    int64_t n;

    switch (column->type) {
    case ID:
        return integer(rows->bases[rows->table] + (int64_t)row + 1);
    case POSITION:
        return integer((int64_t)row);
    case ARTIFACT:
        return integer(rows->artifact);
    case REF:
        n = *(const int64_t *)cell;
        return number_or_null(n >= 0, rows->bases[column->target] + n + 1);
    case INT:
        n = *(const int64_t *)cell;
        return number_or_null(n != DG_NONE, n);
    case NUMBER:
        return integer(*(const int64_t *)cell);
    case TEXT:
        return text_or_null(*(const struct dg_text *)cell);
    case STRING:
        return text_or_null(dg_text(*(const char *const *)cell));
    case ANY:
        return *(const struct dg_any *)cell;
    default:
        return of_op(column->type, *(const struct dg_text *)cell);
    }
}

static bool is_int_or_null(const struct dg_table_column *column)
{
    return column->type == REF || column->type == INT;
}

int64_t dg_table_int_at(const struct dg_table_rows *rows, size_t row, int number,
                        int64_t null)
{
    const struct dg_table_column *column =
        &dg_table_layouts[rows->table].columns[number];
    struct dg_any any;
    int64_t n;

    if (column->type == ID)
        return rows->bases[rows->table] + (int64_t)row + 1;
    if (is_int_or_null(column)) {
        n = *(const int64_t *)cell_at(rows, row, column);
        if (column->type == INT)
            return n == DG_NONE ? null : n;
        return n < 0 ? null : rows->bases[column->target] + n + 1;
    }
    any = dg_table_cell(rows, row, number);
    return any.type == DG_NULL ? null : any.type == DG_INTEGER ? any.integer : 0;
}

struct dg_text dg_table_text_at(const struct dg_table_rows *rows, size_t row,
                                int number)
{
    const struct dg_table_column *column =
        &dg_table_layouts[rows->table].columns[number];
    struct dg_any any;

    if (column->type == TEXT)
        return *(const struct dg_text *)cell_at(rows, row, column);
    if (column->type == STRING)
        return dg_text(*(const char *const *)cell_at(rows, row, column));
    any = dg_table_cell(rows, row, number);
    return any.type == DG_TEXT ? any.text : (struct dg_text){0};
}

/* What SQLite takes for NULL, too. */
static bool is_null_to_sql(const struct dg_any *any)
{
    return any->type == DG_NULL || (any->type == DG_TEXT && !any->text.data) ||
           (any->type == DG_REAL && isnan(any->real));
}

/* A NULL is what SQLite returns when nothing is put. */
static void put_any(sqlite3_context *out, const struct dg_any *any)
{
    if (any->type == DG_INTEGER)
        sqlite3_result_int64(out, any->integer);
    else if (any->type == DG_REAL)
        sqlite3_result_double(out, any->real);
    else if (any->type == DG_TEXT && any->text.data)
        sqlite3_result_text64(out, any->text.data, any->text.size, SQLITE_STATIC,
                              SQLITE_UTF8);
}

static void put_cell(sqlite3_context *out, const struct dg_bulk *bulk, size_t row,
                     int number)
{
    const struct dg_table_rows *rows = (const struct dg_table_rows *)bulk;
    const struct dg_table_column *column =
        &dg_table_layouts[rows->table].columns[number];
    const void *cell = cell_at(rows, row, column);
    const struct dg_bytes *blob;
    struct dg_any any;

    if (is_int_or_null(column)) {
        int64_t n = dg_table_int_at(rows, row, number, DG_NONE);

        if (n != DG_NONE)
            sqlite3_result_int64(out, n);
        return;
    }
    if (column->type == STRING) { /* SQLite need not copy what ends with NUL */
        sqlite3_result_text(out, *(const char *const *)cell, -1, SQLITE_STATIC);
        return;
    }
    if (column->type != BLOB) {
        any = dg_table_cell(rows, row, number);
        put_any(out, &any);
        return;
    }
    blob = cell;
    sqlite3_result_blob64(out, blob->data, blob->size, SQLITE_STATIC);
}

void dg_table_rows_begin(struct dg_table_rows *rows, const struct dg_program *program,
                         enum dg_table number)
{
    const struct dg_table_layout *table = &dg_table_layouts[number];
    const char *base = (const char *)program;

    rows->table = number;
    rows->bulk.cell = put_cell;
    rows->bulk.n_rows = *(const size_t *)(base + table->n_rows);
    rows->rows = *(char *const *)(base + table->rows);
}

static bool is_null(const struct dg_table_rows *rows, size_t row, int number)
{
    const struct dg_table_column *column =
        &dg_table_layouts[rows->table].columns[number];
    struct dg_any any;

    if (is_int_or_null(column))
        return dg_table_int_at(rows, row, number, DG_NONE) == DG_NONE;
    if (column->type == BLOB)
        return !((const struct dg_bytes *)cell_at(rows, row, column))->data;
    any = dg_table_cell(rows, row, number);
    return is_null_to_sql(&any);
}

bool dg_table_has_cell(const struct dg_table_rows *rows, int column, bool null)
{
    for (size_t i = 0; i < rows->bulk.n_rows; i++) {
        if (is_null(rows, i, column) == null)
            return true;
    }
    return false;
}

void dg_table_free(struct dg_program *program, enum dg_table number)
{
    const struct dg_table_layout *table = &dg_table_layouts[number];
    char *base = (char *)program;
    void **rows = (void **)(void *)(base + table->rows);

    free(*rows);
    *rows = NULL;
    *(size_t *)(void *)(base + table->n_rows) = 0;
}

/* Half of the columns are empty in most programs, and SQLite asks for each cell: naming
 * NULL once instead saves a third of the time. So it is of ids, which go on as SQLite's
 * own do: it draws the next one without a search for one like it. */
void dg_table_insert_sql(const struct dg_table_rows *rows, char *sql, size_t size)
{
    const struct dg_table_layout *table = &dg_table_layouts[rows->table];
    int length = snprintf(sql, size, "INSERT INTO %s SELECT ", table->name);

    for (int i = 0; i < table->n_columns; i++) {
        bool null = table->columns[i].type == ID || !dg_table_has_cell(rows, i, false);

        length += snprintf(sql + length, size - (size_t)length, "%sc%d,",
                           null ? "NULL AS " : "", i);
    }
    snprintf(sql + length - 1, size - (size_t)length + 1, " FROM dg_bulk");
}

static int64_t int_at(const char *row, const struct dg_table_column *column)
{
    return *(const int64_t *)(const void *)(row + column->offset);
}

bool dg_table_is_sorted(const struct dg_table_rows *rows)
{
    const struct dg_table_layout *table = &dg_table_layouts[rows->table];
    const struct dg_table_column *first = &table->columns[0],
                                 *second = &table->columns[1];
    const char *row = rows->rows;

    if (first->type == ID)
        return true;
    if (first->type != REF || second->type != INT)
        return false;
    for (size_t i = 1; i < rows->bulk.n_rows; i++, row += table->row_size) {
        const char *next = row + table->row_size;

        if (int_at(row, first) > int_at(next, first) ||
            (int_at(row, first) == int_at(next, first) &&
             int_at(row, second) > int_at(next, second)))
            return false;
    }
    return true;
}
