/* Values of a method of a .pte, as far as they are known before it runs. */
#include "verifiers/plan_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/int_list.h"
#include "graph/model.h"
#include "store/lists.h"

/* A value of a method. Of a list `first` is that of its items, of a tensor that of its
 * sizes; `n` says how many. */
struct dg_plan_value {
    enum dg_arg_kind kind;
    enum dg_type type;
    bool bounded, complex;
    char items; /* of a list: 'v' values, 'd' doubles, 'b' bools */
    int n;
    size_t first;
    union {
        int64_t integer;
        double real;
        const char *string;
    } as;
};

/* Items of lists of doubles are numbers, or texts where JSON has none. */
static void read_items(struct dg_plan_values *method, struct dg_plan_value *value,
                       const char *json)
{
    bool reals = value->items == 'd';

    if (*json != '[')
        return;
    value->kind = DG_ARG_LIST;
    value->first = method->n_numbers;
    for (const char *at = json + 1; *at && *at != ']'; at += *at == ',') {
        char *end = (char *)at + strcspn(at, ",]");
        double real = strtod(at + (*at == '"'), NULL);
        int64_t *number = DG_APPEND(method->numbers, method->n_numbers);

        if (reals)
            memcpy(number, &real, sizeof(real));
        else
            *number = value->items == 'b' ? *at == 't' : strtoll(at, NULL, 10);
        value->n++;
        at = end;
    }
}

enum { KIND, DTYPE, SHAPE, ORDER, BOUNDED, SCALAR, ITEMS };

/* How many dimensions the tensor has; -1: it is not understood. */
static int read_layout(const struct dg_rows *row, int64_t *sizes, int64_t *order)
{
    const char *json = dg_rows_text(row, ORDER);
    int rank = dg_int_list(dg_rows_text(row, SHAPE), sizes, DG_RANK_MOST);
    unsigned seen = 0;

    for (int i = 0; i < rank; i++)
        order[i] = i;
    if (json && dg_int_list(json, order, DG_RANK_MOST) != rank)
        return -1;
    for (int i = 0; i < rank; i++) {
        if (sizes[i] < 0 || order[i] < 0 || order[i] >= rank || seen >> order[i] & 1)
            return -1;
        seen |= 1u << order[i];
    }
    return rank;
}

static void read_tensor(struct dg_plan_values *method, struct dg_plan_value *value,
                        const struct dg_rows *row)
{
    int64_t sizes[DG_RANK_MOST], order[DG_RANK_MOST];
    const char *dtype = dg_rows_text(row, DTYPE);
    int rank = read_layout(row, sizes, order);

    if (!dtype || rank < 0)
        return;
    value->kind = DG_ARG_TENSOR;
    value->type = dg_type_named(dtype);
    value->complex = *dtype == 'c';
    value->bounded = dg_rows_int(row, BOUNDED) != 0;
    value->n = rank;
    value->first = method->n_numbers;
    for (int i = 0; i < 2 * rank; i++)
        *DG_APPEND(method->numbers, method->n_numbers) =
            i < rank ? sizes[i] : order[i - rank];
}

static void read_scalar(struct dg_plan_values *method, struct dg_plan_value *value,
                        const char *kind, const struct dg_rows *row)
{
    if (!strcmp(kind, "double")) {
        value->kind = DG_ARG_FLOAT;
        value->as.real = dg_rows_double(row, SCALAR);
    } else if (!strcmp(kind, "string")) {
        value->kind = DG_ARG_STRING;
        value->as.string = dg_copy(&method->memory, dg_rows_slice(row, SCALAR));
    } else if (!strcmp(kind, "int") || !strcmp(kind, "bool")) {
        value->kind = *kind == 'i' ? DG_ARG_INT : DG_ARG_BOOL;
        value->as.integer = dg_rows_int(row, SCALAR);
    }
}

static void read_value(struct dg_plan_values *method, const struct dg_rows *row)
{
    struct dg_plan_value *value = DG_APPEND(method->values, method->n_values);
    const char *kind = dg_rows_text(row, KIND);

    value->kind = DG_ARG_UNKNOWN;
    if (!strcmp(kind, "tensor")) {
        read_tensor(method, value, row);
    } else if (!strcmp(kind, "null")) {
        value->kind = DG_ARG_NONE;
    } else if (strstr(kind, "list") && !dg_rows_null(row, ITEMS)) {
        value->items = *kind == 'd' || *kind == 'b' ? *kind : 'v';
        read_items(method, value, dg_rows_text(row, ITEMS));
    } else if (!dg_rows_null(row, SCALAR)) {
        read_scalar(method, value, kind, row);
    }
}

static enum dg_status read_values(struct dg_plan_values *method, struct dg_store *store,
                                  int64_t graph, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store,
                     "SELECT kind, dtype, shape, dim_order, dynamism <> 'static',"
                     " scalar, items FROM value WHERE graph_id = ?1 ORDER BY id",
                     err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, graph);
    while (dg_rows_next(&rows))
        read_value(method, &rows);
    return dg_rows_close(&rows, DG_OK, err);
}

/* A move gives a value another tensor; numbers change with whoever writes them. */
static void forget_written(struct dg_plan_values *method, const struct dg_model *model,
                           int64_t graph)
{
    struct dg_model_graph nodes = dg_model_graph_at(model, graph);

    for (uint32_t i = nodes.first; i < nodes.first + nodes.n_nodes; i++) {
        bool moves = model->nodes[i].kind == DG_NODE_MOVE_CALL;

        for (uint32_t k = model->operand_of[i]; k < model->operand_of[i + 1]; k++) {
            const struct dg_model_operand *operand = &model->operands[k];
            enum dg_arg_kind *kind;

            if (!(operand->access & DG_ACCESS_WRITE) || operand->idx < 0 ||
                (uint64_t)operand->idx >= method->n_values)
                continue;
            kind = &method->values[operand->idx].kind;
            if (moves || (*kind != DG_ARG_TENSOR && *kind != DG_ARG_LIST))
                *kind = DG_ARG_UNKNOWN;
        }
    }
}

static void know(struct dg_known *known, const struct dg_plan_values *method,
                 int64_t idx, bool list, struct dg_arena *memory);

static struct dg_known_tensor *know_tensor(const struct dg_plan_values *method,
                                           const struct dg_plan_value *value,
                                           struct dg_arena *memory)
{
    struct dg_known_tensor *tensor = dg_alloc(memory, 1, sizeof(*tensor));
    const int64_t *numbers = method->numbers + value->first;

    tensor->type = value->type;
    tensor->bounded = value->bounded;
    tensor->complex = value->complex;
    tensor->rank = value->n;
    for (int i = 0; i < value->n; i++) {
        tensor->sizes[i] = numbers[i];
        tensor->order[i] = (unsigned char)numbers[value->n + i];
    }
    return tensor;
}

static void know_items(struct dg_known *known, const struct dg_plan_values *method,
                       const struct dg_plan_value *value, struct dg_arena *memory)
{
    struct dg_known *items = dg_alloc(memory, (size_t)value->n + 1, sizeof(*items));
    const int64_t *numbers = method->numbers + value->first;

    for (int i = 0; i < value->n; i++) {
        items[i].idx = -1;
        if (value->items == 'd') {
            items[i].kind = DG_ARG_FLOAT;
            memcpy(&items[i].as.real, &numbers[i], sizeof(double));
        } else if (value->items == 'b') {
            items[i].kind = DG_ARG_BOOL;
            items[i].as.integer = numbers[i];
        } else if (numbers[i] >= 0) {
            know(&items[i], method, numbers[i], false, memory);
        }
    }
    known->as.list.items = items;
    known->as.list.n_items = (size_t)value->n;
}

/* Lists hold no lists; and those that calls name too often are not known. */
static void know(struct dg_known *known, const struct dg_plan_values *method,
                 int64_t idx, bool list, struct dg_arena *memory)
{
    const struct dg_plan_value *value;

    *known = (struct dg_known){.kind = DG_ARG_UNKNOWN, .idx = idx};
    if (idx < 0 || (uint64_t)idx >= method->n_values)
        return;
    value = &method->values[idx];
    if (value->kind == DG_ARG_LIST && !list)
        return;
    known->kind = value->kind;
    if (value->kind == DG_ARG_TENSOR)
        known->as.tensor = know_tensor(method, value, memory);
    else if (value->kind == DG_ARG_LIST)
        know_items(known, method, value, memory);
    else if (value->kind == DG_ARG_FLOAT)
        known->as.real = value->as.real;
    else if (value->kind == DG_ARG_STRING)
        known->as.string = value->as.string;
    else
        known->as.integer = value->as.integer;
}

void dg_plan_know(struct dg_known *known, const struct dg_plan_values *method,
                  int64_t idx, struct dg_arena *memory)
{
    know(known, method, idx, method->few_lists, memory);
}

enum dg_status dg_plan_values_read(struct dg_plan_values *method,
                                   struct dg_store *store, int64_t graph,
                                   struct dg_error *err)
{
    const struct dg_model *model;
    enum dg_status status = dg_store_lists_are_few(&method->few_lists, store, err);

    if (!status)
        status = read_values(method, store, graph, err);
    if (!status)
        status = dg_model_read(&model, store, err);
    if (!status)
        forget_written(method, model, graph);
    return status;
}

void dg_plan_values_clear(struct dg_plan_values *method)
{
    free(method->values);
    free(method->numbers);
    dg_arena_clear(&method->memory);
    *method = (struct dg_plan_values){0};
}
