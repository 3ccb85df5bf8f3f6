/* Reading the values of methods, once for a store. */
#include "graph/model_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "base/text.h"
#include "store/program.h"

static void release(void *object)
{
    struct dg_model_values *values = object;

    free(values->graphs);
    free(values->items);
    free(values->numbers);
    dg_arena_clear(&values->memory);
    free(values);
}

/* Which of the names; 0: none of them. */
static unsigned find_name(struct dg_text name, const char *const *names, unsigned n)
{
    unsigned i = n - 1;

    while (i && !dg_text_is(name, names[i]))
        i--;
    return i;
}

#define FIND_NAME(name, names) find_name(name, names, sizeof(names) / sizeof(*(names)))

static enum dg_value_kind kind_of(struct dg_text name)
{
    static const char *const names[] = {
        [DG_VALUE_NULL] = "null",
        [DG_VALUE_INT] = "int",
        [DG_VALUE_BOOL] = "bool",
        [DG_VALUE_DOUBLE] = "double",
        [DG_VALUE_STRING] = "string",
        [DG_VALUE_TENSOR] = "tensor",
        [DG_VALUE_INT_LIST] = "int_list",
        [DG_VALUE_TENSOR_LIST] = "tensor_list",
        [DG_VALUE_OPTIONAL_LIST] = "optional_tensor_list",
        [DG_VALUE_DOUBLE_LIST] = "double_list",
        [DG_VALUE_BOOL_LIST] = "bool_list",
    };

    return (enum dg_value_kind)FIND_NAME(name, names);
}

static enum dg_stored storage_of(struct dg_text name)
{
    static const char *const names[] = {
        [DG_STORED_PLANNED] = "planned",   [DG_STORED_RUNTIME] = "runtime",
        [DG_STORED_MUTABLE] = "mutable",   [DG_STORED_CONSTANT] = "constant",
        [DG_STORED_EXTERNAL] = "external",
    };

    return (enum dg_stored)FIND_NAME(name, names);
}

/* Items of lists of doubles are numbers, or texts where JSON has none. */
static int64_t number_at(const char *at, enum dg_value_kind kind)
{
    double real;
    int64_t bits;

    if (kind == DG_VALUE_BOOL_LIST)
        return *at == 't';
    if (kind != DG_VALUE_DOUBLE_LIST)
        return strtoll(at, NULL, 10);
    real = strtod(at + (*at == '"'), NULL);
    memcpy(&bits, &real, sizeof(bits));
    return bits;
}

static struct dg_numbers read_numbers(struct dg_model_values *values, const char *json,
                                      enum dg_value_kind kind)
{
    struct dg_numbers numbers = {values->n_numbers, -1};

    if (!json || *json != '[')
        return numbers;
    numbers.n = 0;
    for (const char *at = json + 1; *at && *at != ']'; at += *at == ',') {
        *DG_APPEND(values->numbers, values->n_numbers) = number_at(at, kind);
        numbers.n++;
        at += strcspn(at, ",]");
    }
    return numbers;
}

enum {
    ID,
    IDX,
    KIND,
    DTYPE,
    CONTENT,
    ORDER,
    NBYTES,
    STORAGE,
    DYNAMISM,
    MEM_ID,
    OFFSET,
    DATA_INDEX,
    DISPLACED,
    SPARSE,
    SCALAR,
    NAME,
};

static const char values_sql[] =
    "SELECT id, idx, kind, dtype, iif(kind = 'tensor', shape, items), dim_order,"
    " nbytes, storage, dynamism, mem_id, mem_offset, data_index, storage_offset <> 0,"
    " layout <> 'strided', scalar, name FROM value"
    " WHERE id BETWEEN ?1 AND ?2 ORDER BY id";

static bool is(const struct dg_rows *row, int column, const char *text)
{
    return dg_text_is(dg_rows_slice(row, column), text);
}

static void read_tensor(struct dg_model_values *values, struct dg_model_value *value,
                        const struct dg_rows *row)
{
    value->dtype = dg_dtype_of_name(dg_rows_slice(row, DTYPE));
    value->order = read_numbers(values, dg_rows_text(row, ORDER), value->kind);
    value->storage = storage_of(dg_rows_slice(row, STORAGE));
    value->bounded = is(row, DYNAMISM, "bounded");
    value->unbounded =
        !dg_rows_null(row, DYNAMISM) && !value->bounded && !is(row, DYNAMISM, "static");
    value->displaced = dg_rows_int_or(row, DISPLACED, 0) != 0;
    value->sparse = dg_rows_int_or(row, SPARSE, 0) != 0;
}

/* SQL takes NaN for NULL, so that it is a text there. */
static void read_scalar(struct dg_model_values *values, struct dg_model_value *value,
                        const struct dg_rows *row)
{
    value->said = !dg_rows_null(row, SCALAR);
    if (value->kind == DG_VALUE_DOUBLE)
        value->as.real = dg_rows_type(row, SCALAR) == 't' ? (double)NAN
                                                          : dg_rows_double(row, SCALAR);
    else if (value->kind == DG_VALUE_STRING)
        value->as.string = dg_copy(&values->memory, dg_rows_slice(row, SCALAR));
    else if (value->kind == DG_VALUE_INT || value->kind == DG_VALUE_BOOL)
        value->as.integer = dg_rows_int(row, SCALAR);
}

static void read_value(struct dg_model_values *values, const struct dg_rows *row)
{
    struct dg_model_value value = {
        .id = dg_rows_int(row, ID),
        .idx = dg_rows_int(row, IDX),
        .mem_id = dg_rows_int_or(row, MEM_ID, DG_NONE),
        .offset = dg_rows_int_or(row, OFFSET, DG_NONE),
        .nbytes = dg_rows_int_or(row, NBYTES, DG_NONE),
        .kind = kind_of(dg_rows_slice(row, KIND)),
        .data_index = dg_rows_int_or(row, DATA_INDEX, DG_NONE),
        .order = {0, -1},
    };

    if (!dg_rows_null(row, NAME))
        value.name = dg_text(dg_copy(&values->memory, dg_rows_slice(row, NAME)));
    value.content = read_numbers(values, dg_rows_text(row, CONTENT), value.kind);
    if (value.kind == DG_VALUE_TENSOR)
        read_tensor(values, &value, row);
    else
        read_scalar(values, &value, row);
    *DG_APPEND(values->items, values->n_items) = value;
}

static enum dg_status read_graph(struct dg_model_values *values,
                                 struct dg_value_graph *graph, struct dg_rows *rows,
                                 struct dg_error *err)
{
    graph->first = values->n_items;
    dg_rows_bind_int(rows, 1, graph->first_id);
    dg_rows_bind_int(rows, 2, graph->last_id);
    while (dg_rows_next(rows))
        read_value(values, rows);
    graph->n = values->n_items - graph->first;
    return dg_rows_again(rows, err);
}

static enum dg_status read_values(struct dg_model_values *values,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, values_sql, err);

    if (status)
        return status;
    for (size_t i = 0; i < values->n_graphs && !status; i++)
        status = read_graph(values, &values->graphs[i], &rows, err);
    return dg_rows_close(&rows, status, err);
}

static const char graphs_sql[] =
    "SELECT g.id, (SELECT min(id) FROM value WHERE graph_id = g.id) AS first,"
    " (SELECT max(id) FROM value WHERE graph_id = g.id)"
    "  FROM \"graph\" AS g JOIN method ON method.id = g.method_id"
    " WHERE method.ir = 'pte' AND first IS NOT NULL ORDER BY g.id";

/* What lies between the values of another graph belongs to nobody. */
static enum dg_status find_graphs(struct dg_model_values *values,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    int64_t last = 0;
    enum dg_status status = dg_rows_open(&rows, store, graphs_sql, err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        struct dg_value_graph graph = {.id = dg_rows_int(&rows, 0),
                                       .first_id = dg_rows_int(&rows, 1),
                                       .last_id = dg_rows_int(&rows, 2)};

        if (graph.first_id <= last)
            continue;
        *DG_APPEND(values->graphs, values->n_graphs) = graph;
        last = graph.last_id;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_model_values_read(const struct dg_model_values **out,
                                    struct dg_store *store, struct dg_error *err)
{
    struct dg_model_values *values = dg_store_kept(store, release);
    enum dg_status status;

    *out = values;
    if (values)
        return DG_OK;
    *out = values = dg_zeroed(1, sizeof(*values));
    status = find_graphs(values, store, err);
    if (!status)
        status = read_values(values, store, err);
    if (status)
        release(values);
    else
        dg_store_keep(store, values, release);
    return status;
}

static int compare_id(const void *item, const void *key)
{
    const struct dg_value_graph *graph = item;
    const int64_t *id = key;

    return graph->id < *id ? -1 : graph->id > *id;
}

const struct dg_value_graph *dg_value_graph_of(const struct dg_model_values *values,
                                               int64_t graph)
{
    size_t at = DG_SORTED_BEFORE(values->graphs, values->n_graphs, &graph, compare_id);

    return at < values->n_graphs && values->graphs[at].id == graph ? &values->graphs[at]
                                                                   : NULL;
}
