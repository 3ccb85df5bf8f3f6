/* Costs of all calls of a store: one pass over values, nodes and uses. */
#include "graph/cost.h"

#include <stdlib.h>

#include "base/dtype.h"
#include "base/ops.h"
#include "graph/cost_formula.h"
#include "graph/cost_parts.h"
#include "store/lists.h"

/* A call whose operands are being read. */
struct reading {
    const struct dg_cost_tables *tables;
    struct dg_cost_arguments *arguments;
    struct dg_costs *costs;
    bool instructions; /* rather than FX nodes */
    bool few_lists;    /* else their traffic is not known */
    struct dg_cost_call call;
    int64_t node; /* 0: none */
    int64_t bytes;
    uint32_t *seen; /* of each value: the last node that it counted for */
};

static struct dg_cost_shape shape_of(const struct dg_cost_tables *tables, int64_t value)
{
    const struct dg_cost_value *v;

    if (value < 1 || value > tables->n_values)
        return (struct dg_cost_shape){.rank = -1};
    v = &tables->values[value - 1];
    if (!v->is_tensor)
        return (struct dg_cost_shape){.rank = -1};
    /* Scalars have none, and where all are scalars there is no array. */
    return (struct dg_cost_shape){v->rank, v->rank ? tables->sizes + v->sizes : NULL};
}

static void add_bytes(struct reading *reading, int64_t value)
{
    const struct dg_cost_value *v = &reading->tables->values[value - 1];

    if (reading->seen[value - 1] == (uint32_t)reading->node)
        return;
    reading->seen[value - 1] = (uint32_t)reading->node;
    if (v->nbytes < 0 || reading->bytes < 0 || reading->bytes > INT64_MAX - v->nbytes)
        reading->bytes = -1;
    else
        reading->bytes += v->nbytes;
}

/* A tensor counts itself; a list of a .pte, its items, which EValue indices name. */
static void add_traffic(struct reading *reading, int64_t value)
{
    const struct dg_cost_tables *tables = reading->tables;
    const struct dg_cost_value *v;

    if (value < 1 || value > tables->n_values)
        return;
    v = &tables->values[value - 1];
    if (v->is_tensor)
        add_bytes(reading, value);
    if (v->is_list && !reading->few_lists)
        reading->bytes = -1;
    for (int64_t i = 0; v->is_list && reading->few_lists && i < v->rank; i++) {
        int64_t item = value - v->idx + tables->sizes[v->sizes + i];

        if (item >= 1 && item <= tables->n_values && tables->values[item - 1].is_tensor)
            add_bytes(reading, item);
    }
}

static bool wanted(const struct reading *reading, int64_t node)
{
    const struct dg_cost_node *n = &reading->tables->nodes[node - 1];

    return n->counts && n->is_instruction == reading->instructions;
}

static void begin(struct reading *reading, int64_t node)
{
    const struct dg_cost_node *n = &reading->tables->nodes[node - 1];

    reading->node = node;
    if (!wanted(reading, node))
        return;
    reading->bytes = n->more;
    reading->call = (struct dg_cost_call){0};
    for (int i = 0; i < DG_CALL_OPERANDS; i++)
        reading->call.operands[i].rank = -1;
    reading->call.result = shape_of(reading->tables, n->result);
    add_traffic(reading, n->result);
}

static enum dg_status finish(struct reading *reading, struct dg_error *err)
{
    const struct dg_cost_tables *tables = reading->tables;
    const struct dg_cost_node *node = &tables->nodes[reading->node - 1];
    const struct dg_cost_rule *rule = node->op ? tables->rules[node->op - 1] : NULL;
    struct dg_cost *cost = &reading->costs->nodes[reading->node - 1];
    bool opaque =
        rule && rule->argument && reading->instructions && !reading->few_lists;
    enum dg_status status = DG_OK;

    if (rule && rule->argument && !opaque) {
        struct dg_cost_place place = {reading->node, node->is_instruction,
                                      tables->ops[node->op - 1]};

        status = dg_cost_argument(reading->arguments, &place, rule->argument,
                                  &reading->call, err);
    }
    cost->counts = true;
    cost->flops = opaque ? -1 : dg_call_flops(rule, &reading->call);
    cost->bytes = reading->bytes;
    return status;
}

/* Finish the calls before `node`, also those that read nothing. */
static enum dg_status step_to(struct reading *reading, int64_t node,
                              struct dg_error *err)
{
    enum dg_status status = DG_OK;

    while (!status && reading->node < node) {
        if (reading->node && wanted(reading, reading->node))
            status = finish(reading, err);
        if (reading->node < reading->tables->n_nodes)
            begin(reading, reading->node + 1);
        else
            reading->node++;
    }
    return status;
}

static const char uses_sql[] =
    "SELECT dst, pos, value_id, 'read' FROM edge ORDER BY dst, pos";
static const char operands_sql[] =
    "SELECT node_id, pos, value_id, access FROM operand ORDER BY node_id, pos";

static void use(struct reading *reading, const struct dg_rows *rows)
{
    int64_t pos = dg_rows_int(rows, 1), value = dg_rows_int(rows, 2);
    bool writes = *dg_rows_text(rows, 3) != 'r';

    add_traffic(reading, value);
    if (pos >= 0 && pos < DG_CALL_OPERANDS)
        reading->call.operands[pos] = shape_of(reading->tables, value);
    if (writes && reading->call.result.rank < 0)
        reading->call.result = shape_of(reading->tables, value);
}

static enum dg_status read_uses(struct reading *reading, struct dg_store *store,
                                struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store, reading->instructions ? operands_sql : uses_sql, err);

    if (status)
        return status;
    reading->node = 0;
    while (!status && dg_rows_next(&rows)) {
        int64_t node = dg_rows_int(&rows, 0);

        if (node < 1 || node > reading->tables->n_nodes)
            continue;
        status = step_to(reading, node, err);
        if (!status && wanted(reading, node))
            use(reading, &rows);
    }
    if (!status)
        status = step_to(reading, reading->tables->n_nodes + 1, err);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status read_costs(struct dg_costs *costs,
                                 const struct dg_cost_tables *tables,
                                 struct dg_store *store, struct dg_error *err)
{
    struct dg_cost_arguments arguments = {.store = store};
    struct reading reading = {
        .tables = tables, .arguments = &arguments, .costs = costs};
    enum dg_status status;

    costs->n_nodes = (size_t)tables->n_nodes;
    costs->nodes = dg_alloc(&costs->memory, costs->n_nodes, sizeof(*costs->nodes));
    reading.seen =
        dg_alloc(&costs->memory, (size_t)tables->n_values, sizeof(*reading.seen));
    status = dg_store_lists_are_few(&reading.few_lists, store, err);
    if (!status)
        status = read_uses(&reading, store, err);
    reading.instructions = true;
    if (!status)
        status = read_uses(&reading, store, err);
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

static enum dg_status read_stored(struct dg_costs *costs, struct dg_store *store,
                                  struct dg_error *err)
{
    static const char *const tables[] = {"SELECT count(*), max(id) FROM op",
                                         "SELECT count(*), max(id) FROM value",
                                         "SELECT count(*), max(id) FROM node"};
    int64_t n_nodes = 0;
    struct dg_rows rows;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < sizeof(tables) / sizeof(*tables) && !status; i++)
        status = dg_cost_count_rows(store, tables[i], &n_nodes, err);
    if (!status)
        status =
            dg_rows_open(&rows, store, "SELECT node_id, flops, bytes FROM cost", err);
    if (status)
        return status;
    costs->n_nodes = (size_t)n_nodes;
    costs->nodes = dg_alloc(&costs->memory, costs->n_nodes, sizeof(*costs->nodes));
    while (dg_rows_next(&rows)) {
        int64_t node = dg_rows_int(&rows, 0);

        if (node > 0 && node <= n_nodes)
            costs->nodes[node - 1] =
                (struct dg_cost){true, known(&rows, 1), known(&rows, 2)};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_costs_read(struct dg_costs *costs, struct dg_store *store,
                             struct dg_error *err)
{
    struct dg_cost_tables tables = {0};
    int64_t stored;
    enum dg_status status = is_stored(&stored, store, err);

    *costs = (struct dg_costs){0};
    if (!status && stored)
        return read_stored(costs, store, err);
    if (!status)
        status = dg_cost_tables_read(&tables, store, err);
    if (!status)
        status = read_costs(costs, &tables, store, err);
    dg_cost_tables_clear(&tables);
    return status;
}

enum dg_status dg_costs_count(struct dg_costs *costs, struct dg_store *store,
                              struct dg_error *err)
{
    struct dg_cost_tables tables = {0};
    enum dg_status status = dg_cost_nodes_read(&tables, store, err);

    *costs = (struct dg_costs){.n_nodes = (size_t)tables.n_nodes};
    costs->nodes = dg_alloc(&costs->memory, costs->n_nodes, sizeof(*costs->nodes));
    for (size_t i = 0; i < costs->n_nodes && !status; i++)
        costs->nodes[i] = (struct dg_cost){tables.nodes[i].counts, -1, -1};
    dg_cost_tables_clear(&tables);
    return status;
}

void dg_costs_clear(struct dg_costs *costs)
{
    dg_arena_clear(&costs->memory);
    *costs = (struct dg_costs){0};
}

static enum dg_status write_costs(const struct dg_costs *costs, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store, "INSERT INTO cost VALUES (?1, ?2, ?3)", err);

    for (size_t i = 0; i < costs->n_nodes && !status; i++) {
        const struct dg_cost *cost = &costs->nodes[i];

        if (!cost->counts)
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
    struct dg_costs costs = {0};
    int64_t there;
    enum dg_status status = is_stored(&there, store, err);

    if (status || there)
        return status;
    status = dg_costs_read(&costs, store, err);
    if (!status)
        status = write_costs(&costs, store, err);
    dg_costs_clear(&costs);
    return status;
}
