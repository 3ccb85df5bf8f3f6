/* Reading the values of all graphs, once for a store. */
#include "graph/model_types.h"

#include <math.h>
#include <stdlib.h>

static void release(void *object)
{
    struct dg_model_values *values = object;

    free(values->nbytes);
    free(values->type_of);
    free(values->graph_of);
    free(values->items);
    free(values->types);
    free(values->graphs);
    free(values->numbers);
    dg_arena_clear(&values->memory);
    free(values);
}

static enum dg_stored storage_of(struct dg_text name)
{
    static const char *const names[] = {
        [DG_STORED_PLANNED] = "planned",   [DG_STORED_RUNTIME] = "runtime",
        [DG_STORED_MUTABLE] = "mutable",   [DG_STORED_CONSTANT] = "constant",
        [DG_STORED_EXTERNAL] = "external",
    };

    return (enum dg_stored)dg_find_name(name, names, sizeof(names) / sizeof(*names));
}

/* Of the first ones both queries below have the same. */
enum {
    GRAPH = DG_TYPE_TEXTS,
    NBYTES,
    IDX,
    ORDER,
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

#define OF_ALL                                                                         \
    "SELECT kind, dtype, iif(kind = 'tensor', shape, items), graph_id, nbytes"
#define FROM_ROWS " FROM value ORDER BY id"

static const char values_sql[] = OF_ALL FROM_ROWS;
static const char pte_sql[] =
    OF_ALL ", idx, dim_order, storage, dynamism, mem_id, mem_offset, data_index,"
           " storage_offset <> 0, layout <> 'strided', scalar, name" FROM_ROWS;

static bool is(const struct dg_rows *row, int column, const char *text)
{
    return dg_text_is(dg_rows_slice(row, column), text);
}

static void read_tensor(struct dg_model_values *values, struct dg_model_value *value,
                        const struct dg_rows *row)
{
    value->order = dg_numbers_read(values, dg_rows_text(row, ORDER), value->kind);
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

static void read_item(struct dg_model_values *values, size_t i,
                      const struct dg_rows *row)
{
    const struct dg_model_type *type = &values->types[values->type_of[i]];
    struct dg_model_value *value = &values->items[i];

    *value = (struct dg_model_value){
        .id = (int64_t)i + 1,
        .idx = dg_rows_int(row, IDX),
        .mem_id = dg_rows_int_or(row, MEM_ID, DG_NONE),
        .offset = dg_rows_int_or(row, OFFSET, DG_NONE),
        .nbytes = values->nbytes[i],
        .data_index = dg_rows_int_or(row, DATA_INDEX, DG_NONE),
        .dtype = type->dtype,
        .content = type->content,
        .order = {0, -1},
        .kind = type->kind,
    };
    if (!dg_rows_null(row, NAME))
        value->name = dg_rows_keep(&values->memory, row, NAME);
    if (value->kind == DG_VALUE_TENSOR)
        read_tensor(values, value, row);
    else
        read_scalar(values, value, row);
}

static void read_row(struct dg_type_reader *types, size_t i, const struct dg_rows *row)
{
    struct dg_model_values *values = types->values;
    struct dg_text texts[DG_TYPE_TEXTS];
    uint32_t graph = (uint32_t)dg_rows_int(row, GRAPH);

    for (int k = 0; k < DG_TYPE_TEXTS; k++)
        texts[k] = dg_rows_slice(row, k);
    values->type_of[i] = dg_type_find(types, texts);
    values->graph_of[i] = graph;
    values->nbytes[i] = dg_rows_int_or(row, NBYTES, DG_NONE);
    if (values->graphs[graph - 1].is_pte)
        read_item(values, i, row);
}

static enum dg_status read_values(struct dg_model_values *values,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_type_reader types = {.values = values};
    struct dg_rows rows = dg_rows_all(store, values->items ? pte_sql : values_sql, err);

    for (size_t i = 0; i < values->n_rows && dg_rows_next(&rows); i++)
        read_row(&types, i, &rows);
    dg_type_reader_clear(&types);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Ids are indexes of arrays. */
static enum dg_status count_rows(struct dg_model_values *values, struct dg_store *store,
                                 struct dg_error *err)
{
    int64_t n = 0, last = 0;
    enum dg_status status =
        dg_store_int(store, "SELECT count(*) FROM value", 0, &n, err);

    if (!status)
        status = dg_store_int(store, "SELECT max(id) FROM value", 0, &last, err);
    values->n_rows = (size_t)n;
    return status || last == n
               ? status
               : dg_fail(err, DG_ERR_FORMAT,
                         "store: ids of table value are not 1, 2, 3... without a gap");
}

static const char graphs_sql[] =
    "SELECT g.id, (SELECT min(id) FROM value WHERE graph_id = g.id),"
    " (SELECT max(id) FROM value WHERE graph_id = g.id), ir = 'pte'"
    "  FROM \"graph\" AS g JOIN method ON method.id = g.method_id ORDER BY g.id";

static enum dg_status find_graphs(struct dg_model_values *values,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, graphs_sql, err);

    while (dg_rows_next(&rows)) {
        size_t end = (size_t)dg_rows_int_or(&rows, 2, 0);
        size_t first = end ? (size_t)dg_rows_int(&rows, 1) - 1 : 0;

        *DG_APPEND(values->graphs, values->n_graphs) = (struct dg_value_graph){
            dg_rows_int(&rows, 0), first, end - first, dg_rows_int(&rows, 3) != 0};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void make_room(struct dg_model_values *values)
{
    values->nbytes = dg_zeroed(values->n_rows, sizeof(*values->nbytes));
    values->type_of = dg_zeroed(values->n_rows, sizeof(*values->type_of));
    values->graph_of = dg_zeroed(values->n_rows, sizeof(*values->graph_of));
    for (size_t i = 0; i < values->n_graphs && !values->items; i++)
        if (values->graphs[i].is_pte)
            values->items = dg_zeroed(values->n_rows, sizeof(*values->items));
}

enum dg_status dg_model_values_read(const struct dg_model_values **out,
                                    struct dg_store *store, struct dg_error *err)
{
    struct dg_model_values *values = dg_store_kept(store, release);
    enum dg_status status;

    *out = values;
    if (values)
        return DG_OK;
    values = dg_zeroed(1, sizeof(*values));
    status = count_rows(values, store, err);
    if (!status)
        status = find_graphs(values, store, err);
    if (!status) {
        make_room(values);
        status = read_values(values, store, err);
    }
    if (status) {
        release(values);
        return status;
    }
    dg_store_keep(store, values, release);
    *out = values;
    return DG_OK;
}

const struct dg_value_graph *dg_value_graph_of(const struct dg_model_values *values,
                                               int64_t id)
{
    if (id < 1 || (uint64_t)id > values->n_graphs || !values->graphs[id - 1].is_pte)
        return NULL;
    return values->graphs[id - 1].n ? &values->graphs[id - 1] : NULL;
}
