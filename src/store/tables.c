/* How the rows of a dg_program lie in the tables of schema.sql: one line per column. */
#include "store/tables.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/ops.h"

enum column_type {
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

struct column {
    enum column_type type;
    size_t offset;
    const char *name;     /* in SQL; of a REF maybe without "_id" */
    enum dg_table target; /* of REF */
};

struct table {
    const char *name;
    size_t rows, n_rows; /* offsets in dg_program */
    size_t row_size;
    struct column columns[DG_BULK_COLUMNS];
    int n_columns;
};

#define AT_AS(row, field, name) offsetof(struct dg_##row##_row, field), name
#define AT(row, field)          AT_AS(row, field, #field)
#define COLUMNS(...)                                                                   \
    {__VA_ARGS__}, sizeof((struct column[]){__VA_ARGS__}) / sizeof(struct column)

#define DIGEST(row, prefix)                                                            \
    {TEXT, AT_AS(row, digest.sha256, prefix "sha256")},                                \
    {                                                                                  \
        TEXT, AT_AS(row, digest.xxh3, prefix "xxh3")                                   \
    }
#define LAYOUT(field, row)                                                             \
    offsetof(struct dg_program, field), offsetof(struct dg_program, n_##field),        \
        sizeof(struct dg_##row##_row)

/* In the order of DG_TABLES. clang-format would break each line in three. */
/* clang-format off */
static const struct table tables[] = {
    {"segment", LAYOUT(segments, segment), COLUMNS(
        {ID}, {ARTIFACT}, {INT, AT(segment, idx)}, {TEXT, AT(segment, name)},
        {STRING, AT(segment, kind)}, {NUMBER, AT(segment, offset)},
        {INT, AT(segment, file_offset)}, {NUMBER, AT(segment, size_bytes)},
        {NUMBER, AT(segment, stored_bytes)}, DIGEST(segment, ""))},
    {"method", LAYOUT(methods, method), COLUMNS(
        {ID}, {ARTIFACT}, {POSITION}, {TEXT, AT(method, name)}, {STRING, AT(method, ir)},
        {TEXT, AT(method, in_spec)}, {TEXT, AT(method, out_spec)})},
    {"graph", LAYOUT(graphs, graph), COLUMNS(
        {ID}, {REF, AT(graph, method), DG_TABLE_methods}, {TEXT, AT(graph, path)},
        {STRING, AT(graph, kind)})},
    {"op", LAYOUT(ops, op), COLUMNS(
        {ID}, {TEXT, AT(op, name)}, {OP_NAMESPACE, AT_AS(op, name, "namespace")},
        {OP_ARGS, AT_AS(op, name, "args")}, {OP_RETURNS, AT_AS(op, name, "returns")},
        {OP_FLAGS, AT_AS(op, name, "flags")})},
    {"module", LAYOUT(modules, module), COLUMNS(
        {ID}, {TEXT, AT(module, fqn)}, {TEXT, AT(module, type)})},
    {"trace", LAYOUT(traces, trace), COLUMNS({ID}, {TEXT, AT(trace, text)})},
    {"frame", LAYOUT(frames, frame), COLUMNS(
        {REF, AT(frame, trace), DG_TABLE_traces}, {INT, AT(frame, pos)},
        {TEXT, AT(frame, file)}, {INT, AT(frame, line)}, {TEXT, AT(frame, function)},
        {TEXT, AT(frame, code)})},
    {"delegate", LAYOUT(delegates, delegate), COLUMNS(
        {ID}, {REF, AT(delegate, method), DG_TABLE_methods}, {INT, AT(delegate, idx)},
        {TEXT, AT(delegate, name)}, {TEXT, AT(delegate, backend)},
        {STRING, AT(delegate, location)}, {INT, AT(delegate, blob_index)},
        {INT, AT(delegate, blob_offset)}, {INT, AT(delegate, blob_bytes)},
        DIGEST(delegate, "blob_"),
        {REF, AT(delegate, graph), DG_TABLE_graphs})},
    {"compile_spec", LAYOUT(compile_specs, compile_spec), COLUMNS(
        {REF, AT(compile_spec, delegate), DG_TABLE_delegates}, {INT, AT(compile_spec, pos)},
        {TEXT, AT(compile_spec, key)}, {BLOB, AT(compile_spec, value)})},
    {"delegate_key", LAYOUT(delegate_keys, delegate_key), COLUMNS(
        {REF, AT(delegate_key, delegate), DG_TABLE_delegates}, {INT, AT(delegate_key, pos)},
        {TEXT, AT(delegate_key, key)}, {STRING, AT(delegate_key, kind)},
        {INT, AT(delegate_key, nbytes)})},
    {"value", LAYOUT(values, value), COLUMNS(
        {ID}, {REF, AT(value, graph), DG_TABLE_graphs}, {INT, AT(value, idx)},
        {TEXT, AT(value, name)}, {STRING, AT(value, kind)}, {STRING, AT(value, dtype)},
        {TEXT, AT(value, shape)}, {TEXT, AT(value, strides)}, {TEXT, AT(value, dim_order)},
        {TEXT, AT(value, device)}, {INT, AT(value, nbytes)}, {STRING, AT(value, storage)},
        {STRING, AT(value, dynamism)}, {INT, AT(value, mem_id)},
        {INT, AT(value, mem_offset)}, {INT, AT(value, data_index)},
        {INT, AT(value, requires_grad)}, {ANY, AT(value, storage_offset)},
        {STRING, AT(value, layout)}, {ANY, AT(value, scalar)}, {TEXT, AT(value, items)})},
    {"node", LAYOUT(nodes, node), COLUMNS(
        {ID}, {REF, AT(node, graph), DG_TABLE_graphs}, {INT, AT(node, idx)},
        {TEXT, AT(node, name)}, {STRING, AT(node, kind)}, {REF, AT(node, op), DG_TABLE_ops},
        {TEXT, AT(node, target)}, {INT, AT(node, op_index)},
        {REF, AT(node, delegate), DG_TABLE_delegates}, {INT, AT(node, jump)},
        {REF, AT(node, value), DG_TABLE_values}, {REF, AT(node, module), DG_TABLE_modules},
        {REF, AT(node, trace), DG_TABLE_traces}, {TEXT, AT(node, args)},
        {TEXT, AT(node, custom)}, {TEXT, AT(node, debug_handle)}, {TEXT, AT(node, meta)})},
    {"edge", LAYOUT(edges, edge), COLUMNS(
        {REF, AT(edge, dst), DG_TABLE_nodes}, {INT, AT(edge, pos)},
        {REF, AT(edge, src), DG_TABLE_nodes}, {REF, AT(edge, value), DG_TABLE_values})},
    {"operand", LAYOUT(operands, operand), COLUMNS(
        {REF, AT(operand, node), DG_TABLE_nodes}, {INT, AT(operand, pos)},
        {NUMBER, AT(operand, value_idx)}, {REF, AT(operand, value), DG_TABLE_values},
        {STRING, AT(operand, access)})},
    {"dangling", LAYOUT(danglings, dangling), COLUMNS(
        {REF, AT(dangling, node), DG_TABLE_nodes}, {INT, AT(dangling, pos)},
        {TEXT, AT(dangling, name)})},
    {"signature", LAYOUT(signatures, signature), COLUMNS(
        {REF, AT(signature, graph), DG_TABLE_graphs}, {STRING, AT(signature, direction)},
        {INT, AT(signature, pos)}, {TEXT, AT(signature, name)}, {STRING, AT(signature, kind)},
        {STRING, AT(signature, spec)}, {TEXT, AT(signature, target)},
        {INT, AT(signature, persistent)}, {ANY, AT(signature, literal)},
        {REF, AT(signature, value), DG_TABLE_values}, {INT, AT(signature, value_idx)},
        {INT, AT(signature, planned)})},
    {"range_constraint", LAYOUT(ranges, range), COLUMNS(
        {REF, AT(range, graph), DG_TABLE_graphs}, {TEXT, AT(range, symbol)},
        {ANY, AT(range, min)}, {ANY, AT(range, max)})},
    {"arena", LAYOUT(arenas, arena), COLUMNS(
        {REF, AT(arena, method), DG_TABLE_methods}, {INT, AT(arena, idx)},
        {NUMBER, AT(arena, size_bytes)}, {TEXT, AT(arena, device)})},
    {"plan_operator", LAYOUT(plan_operators, plan_operator), COLUMNS(
        {REF, AT(plan_operator, method), DG_TABLE_methods}, {INT, AT(plan_operator, idx)},
        {REF, AT(plan_operator, op), DG_TABLE_ops})},
    {"constant", LAYOUT(constants, constant), COLUMNS(
        {ID}, {ARTIFACT}, {REF, AT(constant, method), DG_TABLE_methods},
        {INT, AT(constant, idx)}, {TEXT, AT(constant, fqn)}, {STRING, AT(constant, kind)},
        {STRING, AT(constant, dtype)}, {TEXT, AT(constant, shape)},
        {TEXT, AT(constant, strides)}, {INT, AT(constant, storage_offset)},
        {REF, AT(constant, segment), DG_TABLE_segments}, {INT, AT(constant, file_offset)},
        {INT, AT(constant, nbytes)}, DIGEST(constant, ""), {ANY, AT(constant, offset)},
        {STRING, AT(constant, found)})},
    {"named_data", LAYOUT(named_data, named_data), COLUMNS(
        {ARTIFACT}, {INT, AT(named_data, idx)}, {TEXT, AT(named_data, key)},
        {NUMBER, AT(named_data, segment_idx)}, {INT, AT(named_data, size_bytes)},
        {STRING, AT(named_data, dtype)}, {TEXT, AT(named_data, shape)},
        {TEXT, AT(named_data, dim_order)}, {INT, AT(named_data, layout_bytes)})},
    {"sample_input", LAYOUT(sample_inputs, sample_input), COLUMNS(
        {REF, AT(sample_input, method), DG_TABLE_methods}, {INT, AT(sample_input, pos)},
        {TEXT, AT(sample_input, path)}, {STRING, AT(sample_input, kind)},
        {STRING, AT(sample_input, dtype)}, {TEXT, AT(sample_input, shape)},
        {TEXT, AT(sample_input, strides)}, {INT, AT(sample_input, file_offset)},
        {INT, AT(sample_input, storage_offset)}, {INT, AT(sample_input, nbytes)},
        {ANY, AT(sample_input, scalar)})},
    {"remark", LAYOUT(remarks, remark), COLUMNS(
        {ID}, {ARTIFACT}, {STRING, AT(remark, rule)},
        {REF, AT(remark, method), DG_TABLE_methods}, {REF, AT(remark, graph), DG_TABLE_graphs},
        {REF, AT(remark, node), DG_TABLE_nodes}, {REF, AT(remark, value), DG_TABLE_values},
        {TEXT, AT(remark, text)})},
};
/* clang-format on */

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

static struct dg_any of_op(enum column_type type, struct dg_text name)
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

struct dg_any dg_table_cell(const struct dg_table_rows *rows, size_t row, int number)
{
    const struct table *table = &tables[rows->table];
    const struct column *column = &table->columns[number];
    const char *cell = rows->rows + row * table->row_size + column->offset;
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
    const struct table *table = &tables[rows->table];
    const struct column *column = &table->columns[number];
    const struct dg_bytes *blob;
    struct dg_any any;

    if (column->type != BLOB) {
        any = dg_table_cell(rows, row, number);
        put_any(out, &any);
        return;
    }
    blob = (const void *)(rows->rows + row * table->row_size + column->offset);
    sqlite3_result_blob64(out, blob->data, blob->size, SQLITE_STATIC);
}

void dg_table_rows_begin(struct dg_table_rows *rows, const struct dg_program *program,
                         enum dg_table number)
{
    const struct table *table = &tables[number];
    const char *base = (const char *)program;

    rows->table = number;
    rows->bulk.cell = put_cell;
    rows->bulk.n_rows = *(const size_t *)(base + table->n_rows);
    rows->rows = *(char *const *)(base + table->rows);
}

static bool is_null(const struct column *column, const char *cell)
{
    switch (column->type) {
    case REF:
        return *(const int64_t *)cell < 0;
    case INT:
        return *(const int64_t *)cell == DG_NONE;
    case TEXT:
        return !((const struct dg_text *)cell)->data;
    case STRING:
        return !*(const char *const *)cell;
    case ANY:
        return ((const struct dg_any *)cell)->type == DG_NULL;
    default:
        return false;
    }
}

static bool is_null_throughout(const struct dg_table_rows *rows, int number)
{
    const struct table *table = &tables[rows->table];
    const struct column *column = &table->columns[number];
    const char *row = rows->rows;

    for (size_t i = 0; i < rows->bulk.n_rows; i++, row += table->row_size) {
        if (!is_null(column, row + column->offset))
            return false;
    }
    return true;
}

void dg_table_free(struct dg_program *program, enum dg_table number)
{
    const struct table *table = &tables[number];
    char *base = (char *)program;
    void **rows = (void **)(void *)(base + table->rows);

    free(*rows);
    *rows = NULL;
    *(size_t *)(void *)(base + table->n_rows) = 0;
}

/* Half of the columns are empty in most programs, and SQLite asks for each cell: naming
 * NULL once instead saves a third of the time. */
void dg_table_insert_sql(const struct dg_table_rows *rows, char *sql, size_t size)
{
    const struct table *table = &tables[rows->table];
    int length = snprintf(sql, size, "INSERT INTO %s SELECT ", table->name);

    for (int i = 0; i < table->n_columns; i++) {
        bool null = is_null_throughout(rows, i);

        length += snprintf(sql + length, size - (size_t)length, "%sc%d,",
                           null ? "NULL AS " : "", i);
    }
    snprintf(sql + length - 1, size - (size_t)length + 1, " FROM dg_bulk");
}

const char *dg_table_name(enum dg_table number)
{
    return tables[number].name;
}

bool dg_table_has_id(enum dg_table number)
{
    return tables[number].columns[0].type == ID;
}

enum dg_table dg_table_find(const char *name)
{
    enum dg_table number = 0;

    while (number < DG_N_TABLES && strcmp(name, tables[number].name))
        number++;
    return number;
}

static bool is_named(const struct column *column, struct dg_text name)
{
    static const char ending[] = "_id";
    const char *own = column->type == ID         ? "id"
                      : column->type == POSITION ? "idx"
                      : column->type == ARTIFACT ? "artifact_id"
                                                 : column->name;

    if (column->type != REF || dg_text_is(name, own))
        return dg_text_is(name, own);
    return name.size == strlen(own) + strlen(ending) && dg_text_begins(name, own) &&
           !memcmp(name.data + strlen(own), ending, strlen(ending));
}

int dg_table_column_at(enum dg_table number, struct dg_text name)
{
    int i = 0;

    while (i < tables[number].n_columns && !is_named(&tables[number].columns[i], name))
        i++;
    return i < tables[number].n_columns ? i : -1;
}

static int64_t int_at(const char *row, const struct column *column)
{
    return *(const int64_t *)(const void *)(row + column->offset);
}

bool dg_table_is_sorted(const struct dg_table_rows *rows)
{
    const struct table *table = &tables[rows->table];
    const struct column *first = &table->columns[0], *second = &table->columns[1];
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
