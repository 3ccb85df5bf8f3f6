/* Costs of all calls of a store: one pass over values, nodes and uses. */
#include "graph/cost.h"

#include <stdlib.h>

#include "base/dtype.h"
#include "base/ops.h"
#include "graph/cost_formula.h"
#include "graph/cost_inside.h"
#include "graph/cost_parts.h"
#include "store/lists.h"

/* A call that is being measured. */
struct reading {
    struct dg_cost_tables *tables;
    struct dg_cost_arguments *arguments;
    bool few_lists; /* else their traffic is not known */
    struct dg_cost_call call;
    uint32_t node; /* its number */
    int64_t bytes;
    uint32_t *seen; /* of each value: row of the last node that it counted for */
};

static struct dg_cost_shape shape_of(struct dg_cost_tables *tables, int64_t value)
{
    const struct dg_cost_type *type = dg_cost_type(&tables->values, value);

    if (!type || !type->is_tensor)
        return (struct dg_cost_shape){.rank = -1};
    return (struct dg_cost_shape){(int64_t)type->rank, type->sizes};
}

static void add_bytes(struct reading *reading, int64_t value)
{
    int64_t nbytes = dg_cost_nbytes(&reading->tables->values, value);

    if (reading->seen[value - 1] == reading->node + 1)
        return;
    reading->seen[value - 1] = reading->node + 1;
    if (nbytes < 0 || reading->bytes < 0 || reading->bytes > INT64_MAX - nbytes)
        reading->bytes = -1;
    else
        reading->bytes += nbytes;
}

/* Item number `idx` of a graph's values; 0: it has none. */
static int64_t row_of(const struct dg_value_graph *graph, int64_t idx)
{
    return idx >= 0 && (uint64_t)idx < graph->n ? (int64_t)graph->first + idx + 1 : 0;
}

/* A tensor counts itself; a list of a .pte, its items, which EValue indices name. */
static void add_traffic(struct reading *reading, int64_t value)
{
    struct dg_cost_values *values = &reading->tables->values;
    const struct dg_cost_type *type = dg_cost_type(values, value), *of;

    if (!type)
        return;
    if (type->is_tensor)
        add_bytes(reading, value);
    if (type->is_list && !reading->few_lists)
        reading->bytes = -1;
    for (size_t i = 0; type->is_list && reading->few_lists && i < type->rank; i++) {
        uint32_t graph = values->model->graph_of[value - 1];
        int64_t item = row_of(&values->model->graphs[graph - 1], type->sizes[i]);

        of = dg_cost_type(values, item);
        if (of && of->is_tensor)
            add_bytes(reading, item);
    }
}

static void begin(struct reading *reading, uint32_t node)
{
    const struct dg_cost_result *result = &reading->tables->results[node];

    reading->node = node;
    reading->bytes = result->more;
    reading->call = (struct dg_cost_call){0};
    for (int i = 0; i < DG_CALL_OPERANDS; i++)
        reading->call.operands[i].rank = -1;
    reading->call.result = shape_of(reading->tables, result->value);
    add_traffic(reading, result->value);
}

static void use(struct reading *reading, uint32_t pos, uint32_t value)
{
    add_traffic(reading, value);
    if (pos < DG_CALL_OPERANDS)
        reading->call.operands[pos] = shape_of(reading->tables, value);
}

static void use_all(struct reading *reading, uint32_t node)
{
    const struct dg_model *model = reading->tables->model;

    for (uint32_t k = model->use_of[node]; k < model->use_of[node + 1]; k++)
        use(reading, model->uses[k].pos, model->uses[k].value);
}

static void access_all(struct reading *reading, uint32_t node)
{
    const struct dg_model *model = reading->tables->model;

    for (uint32_t k = model->operand_of[node]; k < model->operand_of[node + 1]; k++) {
        const struct dg_model_operand *operand = &model->operands[k];

        use(reading, operand->pos, operand->value);
        if (operand->access & DG_ACCESS_WRITE && reading->call.result.rank < 0)
            reading->call.result = shape_of(reading->tables, operand->value);
    }
}

static enum dg_status finish(struct dg_cost *cost, struct reading *reading,
                             struct dg_error *err)
{
    const struct dg_cost_tables *tables = reading->tables;
    const struct dg_model_node *node = &tables->model->nodes[reading->node];
    const struct dg_cost_rule *rule = node->op ? tables->rules[node->op - 1] : NULL;
    bool instruction = node->kind != DG_NODE_CALL_FUNCTION;
    bool opaque = rule && rule->argument && instruction && !reading->few_lists;
    enum dg_status status = DG_OK;

    if (rule && rule->argument && !opaque) {
        struct dg_cost_place place = {(int64_t)reading->node + 1,
                                      instruction ? DG_COST_INSTRUCTION : DG_COST_FX,
                                      tables->model->ops[node->op - 1].name};

        status = dg_cost_argument(reading->arguments, &place, rule->argument,
                                  &reading->call, err);
    }
    cost->flops = opaque ? -1 : dg_call_flops(rule, &reading->call);
    cost->bytes = reading->bytes;
    return status;
}

static enum dg_status measure(struct dg_costs *costs, struct reading *reading,
                              struct dg_error *err)
{
    const struct dg_model *model = reading->tables->model;
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < model->n_nodes && !status; i++) {
        if (!dg_cost_counts(&costs->nodes[i]))
            continue;
        begin(reading, i);
        if (model->nodes[i].kind == DG_NODE_CALL_FUNCTION)
            use_all(reading, i);
        else
            access_all(reading, i);
        status = finish(&costs->nodes[i], reading, err);
    }
    return status;
}

/* Calls of delegates cost what their graphs do. */
static enum dg_status open_delegates(struct dg_costs *costs, struct dg_store *store,
                                     struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_inside_cost *inside;
    size_t n;
    enum dg_status status = dg_inside_costs(&inside, &n, &memory, store, err);
    struct dg_rows rows;

    if (status || !n) {
        dg_arena_clear(&memory);
        return status;
    }
    rows = dg_rows_all(store,
                       "SELECT node.id, inside_id FROM delegate CROSS JOIN node"
                       " ON delegate_id = delegate.id WHERE inside_id IS NOT NULL"
                       " AND node.kind = 'delegate_call'",
                       err);
    while (dg_rows_next(&rows)) {
        uint64_t node = (uint64_t)dg_rows_int(&rows, 0) - 1;
        uint64_t graph = (uint64_t)dg_rows_int(&rows, 1);

        if (node >= costs->n_nodes || graph > n || !dg_cost_counts(&costs->nodes[node]))
            continue;
        costs->nodes[node].flops = inside[graph].flops;
        costs->nodes[node].bytes = inside[graph].bytes;
    }
    status = dg_rows_close(&rows, DG_OK, err);
    dg_arena_clear(&memory);
    return status;
}

static enum dg_status find_costs(struct dg_costs *costs, const struct dg_model *model,
                                 struct dg_store *store, struct dg_error *err)
{
    struct dg_cost_tables tables = {0};
    struct dg_cost_arguments arguments = {.store = store};
    struct reading reading = {.tables = &tables, .arguments = &arguments};
    enum dg_status status =
        dg_cost_calls_find(costs, model, &costs->memory, store, err);

    if (!status)
        status = dg_cost_tables_read(&tables, model, store, err);
    if (!status)
        status = dg_store_lists_bounded(&reading.few_lists, store, err);
    if (!status) {
        reading.seen = dg_zeroed(tables.values.model->n_rows, sizeof(*reading.seen));
        status = measure(costs, &reading, err);
    }
    if (!status)
        status = open_delegates(costs, store, err);
    free(reading.seen);
    dg_cost_tables_clear(&tables);
    return dg_cost_arguments_end(&arguments, status, err);
}

static enum dg_status is_stored(int64_t *stored, struct dg_store *store,
                                struct dg_error *err)
{
    return dg_store_int(store, "SELECT 1 FROM cost LIMIT 1", 0, stored, err);
}

static int64_t known(const struct dg_rows *rows, int column)
{
    int64_t number = dg_rows_int_or(rows, column, -1);

    return number < 0 ? -1 : number;
}

static enum dg_status read_stored(struct dg_costs *costs, const struct dg_model *model,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(store, "SELECT node_id, flops, bytes FROM cost", err);

    costs->n_nodes = model->n_nodes;
    costs->nodes = dg_alloc(&costs->memory, costs->n_nodes, sizeof(*costs->nodes));
    for (size_t i = 0; i < costs->n_nodes; i++)
        costs->nodes[i] = (struct dg_cost){DG_COST_NONE, -1};
    while (dg_rows_next(&rows)) {
        int64_t node = dg_rows_int(&rows, 0);

        if (node > 0 && node <= model->n_nodes)
            costs->nodes[node - 1] = (struct dg_cost){known(&rows, 1), known(&rows, 2)};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void release_costs(void *object)
{
    struct dg_costs *costs = object;

    dg_arena_clear(&costs->memory);
    free(costs);
}

enum dg_status dg_costs_read(const struct dg_costs **out, struct dg_store *store,
                             struct dg_error *err)
{
    struct dg_costs *costs = dg_store_kept(store, release_costs);
    const struct dg_model *model;
    int64_t stored;
    enum dg_status status = costs ? DG_OK : dg_model_read(&model, store, err);

    *out = costs;
    if (costs || status)
        return status;
    costs = dg_zeroed(1, sizeof(*costs));
    status = is_stored(&stored, store, err);
    if (!status)
        status = (stored ? read_stored : find_costs)(costs, model, store, err);
    if (status) {
        release_costs(costs);
        return status;
    }
    dg_store_keep(store, costs, release_costs);
    *out = costs;
    return DG_OK;
}

enum dg_status dg_costs_known(const struct dg_costs **out, struct dg_store *store,
                              struct dg_error *err)
{
    int64_t stored = 0;
    enum dg_status status = DG_OK;

    *out = dg_store_kept(store, release_costs);
    if (!*out)
        status = is_stored(&stored, store, err);
    return status || !stored ? status : dg_costs_read(out, store, err);
}

enum dg_status dg_costs_count(const struct dg_costs **out, struct dg_arena *memory,
                              struct dg_store *store, struct dg_error *err)
{
    struct dg_costs *costs = dg_alloc(memory, 1, sizeof(*costs));
    const struct dg_model *model;
    enum dg_status status = dg_model_read(&model, store, err);

    *out = costs;
    return status ? status : dg_cost_calls_find(costs, model, memory, store, err);
}

static enum dg_status write_costs(const struct dg_costs *costs, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store, "INSERT INTO cost VALUES (?1, ?2, ?3)", err);

    for (size_t i = 0; i < costs->n_nodes && !status; i++) {
        const struct dg_cost *cost = &costs->nodes[i];

        if (!dg_cost_counts(cost))
            continue;
        dg_rows_bind_int(&rows, 1, (int64_t)i + 1);
        if (cost->flops >= 0)
            dg_rows_bind_int(&rows, 2, cost->flops);
        if (cost->bytes >= 0)
            dg_rows_bind_int(&rows, 3, cost->bytes);
        dg_rows_next(&rows);
        status = dg_rows_again(&rows, err);
    }
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_costs_store(struct dg_store *store, struct dg_error *err)
{
    const struct dg_costs *costs;
    int64_t there;
    enum dg_status status = is_stored(&there, store, err);

    if (!status && !there)
        status = dg_costs_read(&costs, store, err);
    if (!status && !there)
        status = write_costs(costs, store, err);
    if (!status)
        status = dg_store_int(store,
                              "SELECT EXISTS (SELECT 1 FROM delegate_cost)"
                              " OR NOT EXISTS (SELECT 1 FROM delegate_node)",
                              0, &there, err);
    return status || there ? status : dg_inside_costs_store(store, err);
}
