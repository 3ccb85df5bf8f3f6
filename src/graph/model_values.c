/* Reading the values of all graphs, once for a store. */
#include "graph/model_types.h"

#include <math.h>
#include <stdlib.h>

#include "store/scan.h"

static void release_values(void *object)
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

static enum dg_stored storage_of(struct dg_text name, enum dg_stored before)
{
    static const char *const names[] = {
        [DG_STORED_PLANNED] = "planned",   [DG_STORED_RUNTIME] = "runtime",
        [DG_STORED_MUTABLE] = "mutable",   [DG_STORED_CONSTANT] = "constant",
        [DG_STORED_EXTERNAL] = "external",
    };

    return (enum dg_stored)dg_find_name(name, names, sizeof(names) / sizeof(*names),
                                        before);
}

/* Of all, then of a .pte alone. */
static const char columns_of_all[] = "graph_id, nbytes, kind, dtype, shape, items";
static const char columns_of_pte[] =
    "graph_id, nbytes, kind, dtype, shape, items, idx, dim_order, storage, dynamism,"
    " mem_id, mem_offset, data_index, storage_offset, layout, scalar, name";
enum {
    GRAPH,
    NBYTES,
    KIND,
    DTYPE,
    SHAPE,
    ITEMS,
    IDX,
    ORDER,
    STORAGE,
    DYNAMISM,
    MEM_ID,
    OFFSET,
    DATA_INDEX,
    STORAGE_OFFSET,
    LAYOUT,
    SCALAR,
    NAME,
};

static void read_tensor(struct dg_type_reader *types, struct dg_model_value *value,
                        const struct dg_scan *scan)
{
    struct dg_text dynamism = dg_scan_text(scan, DYNAMISM);
    struct dg_text layout = dg_scan_text(scan, LAYOUT);
    struct dg_any displaced = dg_scan_any(scan, STORAGE_OFFSET);

    value->order = dg_order_find(types, dg_scan_text(scan, ORDER));
    value->storage =
        storage_of(dg_scan_text(scan, STORAGE),
                   value->id > 1 ? value[-1].storage : DG_STORED_ELSEWHERE);
    value->bounded = dg_text_is(dynamism, "bounded");
    value->unbounded =
        dynamism.data && !value->bounded && !dg_text_is(dynamism, "static");
    value->displaced = displaced.type != DG_NULL &&
                       (displaced.type != DG_INTEGER || displaced.integer);
    value->sparse = layout.data && !dg_text_is(layout, "strided");
}

/* SQL takes NaN for NULL, so that it is a text there. */
static double real_of(const struct dg_any *scalar)
{
    if (scalar->type == DG_REAL)
        return scalar->real;
    return scalar->type == DG_INTEGER ? (double)scalar->integer : (double)NAN;
}

static void read_scalar(struct dg_model_values *values, struct dg_model_value *value,
                        const struct dg_scan *scan)
{
    struct dg_any scalar = dg_scan_any(scan, SCALAR);

    value->said = scalar.type != DG_NULL;
    if (value->kind == DG_VALUE_DOUBLE)
        value->as.real = value->said ? real_of(&scalar) : 0;
    else if (value->kind == DG_VALUE_STRING)
        value->as.string = dg_copy(&values->memory, dg_scan_text(scan, SCALAR));
    else if (value->kind == DG_VALUE_INT || value->kind == DG_VALUE_BOOL)
        value->as.integer = dg_scan_int(scan, SCALAR);
}

static void read_item(struct dg_type_reader *types, size_t i,
                      const struct dg_scan *scan)
{
    struct dg_model_values *values = types->values;
    const struct dg_model_type *type = &values->types[values->type_of[i]];
    struct dg_model_value *value = &values->items[i];

    *value = (struct dg_model_value){
        .id = (int64_t)i + 1,
        .idx = dg_scan_int(scan, IDX),
        .mem_id = dg_scan_int_or(scan, MEM_ID, DG_NONE),
        .offset = dg_scan_int_or(scan, OFFSET, DG_NONE),
        .nbytes = values->nbytes[i],
        .data_index = dg_scan_int_or(scan, DATA_INDEX, DG_NONE),
        .dtype = type->dtype,
        .content = type->content,
        .order = {0, -1},
        .kind = type->kind,
        .name = dg_scan_keep(&values->memory, scan, NAME),
    };
    if (value->kind == DG_VALUE_TENSOR)
        read_tensor(types, value, scan);
    else
        read_scalar(values, value, scan);
}

static void read_type(struct dg_type_reader *types, size_t i,
                      const struct dg_scan *scan)
{
    struct dg_text kind = dg_scan_text(scan, KIND);
    bool is_tensor = dg_text_is(kind, "tensor");
    const struct dg_text texts[DG_TYPE_TEXTS] = {
        [DG_TYPE_KIND] = kind,
        [DG_TYPE_DTYPE] = dg_scan_text(scan, DTYPE),
        [DG_TYPE_SIZES] = dg_scan_text(scan, is_tensor ? SHAPE : ITEMS),
    };

    types->values->type_of[i] = dg_type_find(types, texts);
}

/* Values of a graph follow one another. */
static void read_row(struct dg_type_reader *types, size_t i, const struct dg_scan *scan)
{
    struct dg_model_values *values = types->values;
    uint32_t number = (uint32_t)dg_scan_int(scan, GRAPH);
    struct dg_value_graph *graph = &values->graphs[number - 1];

    if (!graph->n)
        graph->first = i;
    graph->n = i + 1 - graph->first;
    read_type(types, i, scan);
    values->graph_of[i] = number;
    values->nbytes[i] = dg_scan_int_or(scan, NBYTES, DG_NONE);
    if (graph->is_pte)
        read_item(types, i, scan);
}

static enum dg_status read_values(struct dg_model_values *values,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_type_reader types = {.values = values};
    struct dg_scan scan = dg_scan_all(
        store, "value", values->items ? columns_of_pte : columns_of_all, "id", err);

    for (size_t i = 0; i < values->n_rows && dg_scan_next(&scan); i++)
        read_row(&types, i, &scan);
    dg_type_reader_clear(&types);
    return dg_scan_close(&scan, DG_OK, err);
}

/* Whether the method of each row is one of a .pte. */
static enum dg_status read_methods(bool **is_pte, size_t *n, struct dg_store *store,
                                   struct dg_error *err)
{
    struct dg_scan scan = dg_scan_all(store, "method", "id, ir", "id", err);

    while (dg_scan_next(&scan)) {
        size_t id = (size_t)dg_scan_int(&scan, 0);

        while (*n < id)
            DG_APPEND(*is_pte, *n);
        (*is_pte)[id - 1] = dg_text_is(dg_scan_text(&scan, 1), "pte");
    }
    return dg_scan_close(&scan, DG_OK, err);
}

static enum dg_status find_graphs(struct dg_model_values *values,
                                  struct dg_store *store, struct dg_error *err)
{
    bool *is_pte = NULL;
    size_t n = 0;
    enum dg_status status = read_methods(&is_pte, &n, store, err);
    struct dg_scan scan = dg_scan_all(store, "graph", "id, method_id", "id", err);

    while (!status && dg_scan_next(&scan)) {
        size_t method = (size_t)dg_scan_int(&scan, 1);

        *DG_APPEND(values->graphs, values->n_graphs) = (struct dg_value_graph){
            .id = dg_scan_int(&scan, 0),
            .is_pte = method && method <= n && is_pte[method - 1]};
    }
    free(is_pte);
    return dg_scan_close(&scan, status, err);
}

/* Ids are indexes of arrays. */
static void make_room(struct dg_model_values *values, size_t n)
{
    values->n_rows = n;
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
    struct dg_model_values *values = dg_store_kept(store, release_values);
    enum dg_status status;
    int64_t n;

    *out = values;
    if (values)
        return DG_OK;
    values = dg_zeroed(1, sizeof(*values));
    status = dg_scan_count(&n, store, "value", err);
    if (!status)
        status = find_graphs(values, store, err);
    if (!status) {
        make_room(values, (size_t)n);
        status = read_values(values, store, err);
    }
    if (status) {
        release_values(values);
        return status;
    }
    dg_store_keep(store, values, release_values);
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
