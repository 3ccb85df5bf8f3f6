/* Adding up calls: one pass over the nodes of the model. */
#include "graph/call_sums.h"

#include <stdlib.h>
#include <string.h>

#include "base/sum.h"
#include "base/text_set.h"
#include "graph/cost.h"
#include "graph/coverage_sql.h"
#include "graph/model.h"
#include "graph/model_values.h"
#include "store/scan.h"

/* Calls of unknown bytes are sums of their own, so that one says how many they are. */
enum { INSIDE = 1, CALLS_DELEGATE = 2, CASTS = 4, COSTED = 8, UNKNOWN_BYTES = 16 };

/* What equal calls have in common; all bytes count. */
struct key {
    uint32_t graph, op, backend; /* backend: number + 1; 0: none */
    uint16_t kind, flags;
};

struct sum {
    struct key key;
    uint32_t first; /* number of a node */
    int64_t calls, ops, unknown_flops, unknown_bytes, flops, bytes;
};

/* What runs a node, or the nodes of a graph. */
struct owner {
    uint32_t backend; /* number + 1; 0: none, or none that is known */
    bool inside;
};

struct adding {
    const struct dg_model *model;
    const struct dg_costs *costs;
    struct dg_store *store;
    struct dg_error *err;
    struct dg_text_set backends;
    struct owner *planned, *lowered, *branches, *delegates; /* by row */
    int64_t *inside; /* by row of delegate: nodes of its graph; 0: it is not known */
    bool *casts;     /* by row of node */
    struct sum *sums;
    uint32_t n_sums;
    struct dg_hash_table table;
    struct dg_arena memory;
};

/* Of several names the least, as v_cost has it. */
static void own(struct adding *adding, struct owner *owner, struct dg_text backend)
{
    const struct dg_text *names = adding->backends.texts;
    uint32_t number;

    owner->inside = true;
    if (!backend.data ||
        (owner->backend && dg_text_compare(names[owner->backend - 1], backend) <= 0))
        return;
    number = dg_text_set_find(&adding->backends, backend);
    if (number == DG_NO_TEXT) {
        backend.data = dg_copy(&adding->memory, backend);
        number = dg_text_set_add(&adding->backends, backend);
    }
    owner->backend = number + 1;
}

/* Each row of `sql` has the row of what is owned, and the name of a backend or NULL.
 * Without it nothing is. */
static enum dg_status read_owners(struct owner **out, struct adding *adding,
                                  int64_t n_rows, const char *sql)
{
    struct dg_rows rows;
    enum dg_status status;

    *out = dg_alloc(&adding->memory, (size_t)n_rows + 1, sizeof(**out));
    if (!sql)
        return DG_OK;
    status = dg_rows_open(&rows, adding->store, sql, adding->err);
    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        int64_t row = dg_rows_int(&rows, 0);

        if (row > 0 && row <= n_rows)
            own(adding, &(*out)[row], dg_rows_slice(&rows, 1));
    }
    return dg_rows_close(&rows, DG_OK, adding->err);
}

#define PLANNED                                                                        \
    "SELECT node_id, coalesce(backend, tag) AS backend FROM partition"                 \
    " JOIN partition_node ON partition_id = partition.id WHERE part_run_id IN"         \
    "  (SELECT max(id) FROM part_run GROUP BY artifact_id)"

#define PLANNED_BRANCHES                                                               \
    "WITH planned AS MATERIALIZED (SELECT node_id, min(backend) AS backend FROM"       \
    " (" PLANNED ") GROUP BY node_id)," DG_PLANNED_BRANCHES                            \
    " found AS (SELECT graph_id, backend FROM planned_branches"                        \
    "  JOIN planned USING (node_id)) SELECT * FROM found"

/* How many operators there are inside of graphs of delegates; TOSA's constants are
 * nodes. */
static enum dg_status count_inside(int64_t **counts, int64_t *n, struct adding *adding)
{
    enum dg_status status =
        dg_scan_count(n, adding->store, "delegate_graph", adding->err);
    struct dg_scan scan;

    if (status)
        return status;
    *counts = dg_alloc(&adding->memory, (size_t)*n + 1, sizeof(**counts));
    scan =
        dg_scan_all(adding->store, "delegate_node", "graph_id, op", "id", adding->err);
    while (dg_scan_next(&scan)) {
        int64_t graph = dg_scan_int(&scan, 0);
        struct dg_text op = dg_scan_text(&scan, 1);

        if (graph > 0 && graph <= *n && !dg_text_is(op, "CONST") &&
            !dg_text_is(op, "CONST_SHAPE"))
            (*counts)[graph]++;
    }
    return dg_scan_close(&scan, DG_OK, adding->err);
}

static enum dg_status read_delegates(struct adding *adding)
{
    int64_t n, n_insides, *insides;
    struct dg_scan scan;
    enum dg_status status = dg_scan_count(&n, adding->store, "delegate", adding->err);

    if (!status)
        status = count_inside(&insides, &n_insides, adding);
    if (status)
        return status;
    adding->delegates = dg_alloc(&adding->memory, (size_t)n + 1, sizeof(struct owner));
    adding->inside = dg_alloc(&adding->memory, (size_t)n + 1, sizeof(*adding->inside));
    adding->lowered = dg_alloc(&adding->memory, (size_t)adding->model->n_graphs + 1,
                               sizeof(struct owner));
    scan = dg_scan_all(adding->store, "delegate", "backend, graph_id, inside_id", "id",
                       adding->err);
    for (int64_t row = 1; row <= n && dg_scan_next(&scan); row++) {
        int64_t graph = dg_scan_int(&scan, 1), inside = dg_scan_int(&scan, 2);

        own(adding, &adding->delegates[row], dg_scan_text(&scan, 0));
        if (graph > 0 && graph <= adding->model->n_graphs)
            own(adding, &adding->lowered[graph], dg_scan_text(&scan, 0));
        if (inside > 0 && inside <= n_insides)
            adding->inside[row] = insides[inside];
    }
    return dg_scan_close(&scan, DG_OK, adding->err);
}

static bool any_planned(const struct adding *adding)
{
    for (int64_t row = 1; row <= adding->model->n_nodes; row++) {
        if (adding->planned[row].inside)
            return true;
    }
    return false;
}

static enum dg_status read_all_owners(struct adding *adding)
{
    const struct dg_model *model = adding->model;
    enum dg_status status = read_delegates(adding);

    if (!status)
        status = read_owners(&adding->planned, adding, model->n_nodes, PLANNED);
    if (!status)
        status = read_owners(&adding->branches, adding, model->n_graphs,
                             any_planned(adding) ? PLANNED_BRANCHES : NULL);
    return status;
}

static bool is_cast(const struct dg_model *model, const struct dg_model_node *node)
{
    const struct dg_text name = node->op ? model->ops[node->op - 1].name : dg_text("");

    return node->kind == DG_NODE_KERNEL_CALL &&
           (dg_text_is(name, "dim_order_ops::_to_dim_order_copy.out") ||
            dg_text_is(name, "aten::_to_copy.out"));
}

static bool writes_scalar(const struct dg_model *model, uint32_t node,
                          const struct dg_model_values *values)
{
    for (uint32_t k = model->operand_of[node]; k < model->operand_of[node + 1]; k++) {
        const struct dg_model_operand *operand = &model->operands[k];
        const struct dg_model_type *type;

        if (!operand->value || operand->value > values->n_rows)
            continue;
        type = &values->types[values->type_of[operand->value - 1]];
        if (operand->access != DG_ACCESS_READ && type->kind == DG_VALUE_TENSOR &&
            dg_text_is(type->sizes, "[]"))
            return true;
    }
    return false;
}

/* Instructions that only cast a scalar. */
static enum dg_status find_casts(struct adding *adding)
{
    const struct dg_model *model = adding->model;
    const struct dg_model_values *values;
    enum dg_status status = dg_model_values_read(&values, adding->store, adding->err);

    adding->casts = dg_alloc(&adding->memory, (size_t)model->n_nodes + 1, sizeof(bool));
    for (uint32_t i = 0; i < model->n_nodes && !status; i++)
        adding->casts[i + 1] =
            is_cast(model, &model->nodes[i]) && writes_scalar(model, i, values);
    return status;
}

static struct key key_of(const struct adding *adding, uint32_t i)
{
    const struct dg_model_node *node = &adding->model->nodes[i];
    const struct owner owners[] = {adding->delegates[node->delegate],
                                   adding->lowered[node->graph], adding->planned[i + 1],
                                   adding->branches[node->graph]};
    struct key key = {.graph = node->graph, .op = node->op, .kind = node->kind};

    for (size_t k = 0; k < sizeof(owners) / sizeof(*owners) && !key.backend; k++)
        key.backend = owners[k].backend;
    if (owners[1].inside || owners[2].inside || owners[3].inside)
        key.flags |= INSIDE;
    if (node->delegate)
        key.flags |= CALLS_DELEGATE;
    if (adding->casts[i + 1])
        key.flags |= CASTS;
    if (dg_cost_counts(&adding->costs->nodes[i]))
        key.flags |= COSTED;
    if (adding->costs->nodes[i].bytes < 0)
        key.flags |= UNKNOWN_BYTES;
    return key;
}

static bool same_key(const void *sums, uint32_t number, struct dg_text key)
{
    return !memcmp(&((const struct sum *)sums)[number].key, key.data,
                   sizeof(struct key));
}

static struct sum *sum_of(struct adding *adding, const struct key *key)
{
    struct dg_text text = {(const char *)key, sizeof(*key)};
    uint32_t number;

    if (adding->n_sums && same_key(adding->sums, adding->n_sums - 1, text))
        return &adding->sums[adding->n_sums - 1];
    number = dg_hash_table_add(&adding->table, text, same_key, adding->sums);
    if (number == adding->n_sums)
        DG_APPEND(adding->sums, adding->n_sums)->key = *key;
    return &adding->sums[number];
}

static void add_up(struct adding *adding)
{
    for (uint32_t i = 0; i < adding->model->n_nodes; i++) {
        const struct dg_cost *cost = &adding->costs->nodes[i];
        struct key key = key_of(adding, i);
        struct sum *sum = sum_of(adding, &key);
        int64_t inside = key.kind == DG_NODE_DELEGATE_CALL
                             ? adding->inside[adding->model->nodes[i].delegate]
                             : 0;

        if (!sum->calls++)
            sum->first = i;
        sum->ops += inside ? inside : 1;
        sum->unknown_flops += cost->flops < 0;
        sum->unknown_bytes += cost->bytes < 0;
        dg_add_to(&sum->flops, cost->flops);
        dg_add_to(&sum->bytes, cost->bytes);
    }
}

static void bind_sum(struct dg_rows *rows, const struct adding *adding,
                     const struct sum *sum)
{
    const struct key *key = &sum->key;

    dg_rows_bind_int(rows, 1, key->graph);
    if (key->op)
        dg_rows_bind_int(rows, 2, key->op);
    dg_rows_bind_text(rows, 3, dg_text(dg_node_kind_name(key->kind)));
    if (key->backend)
        dg_rows_bind_text(rows, 4, adding->backends.texts[key->backend - 1]);
    dg_rows_bind_int(rows, 5, key->flags & INSIDE ? 1 : 0);
    dg_rows_bind_int(rows, 6, key->flags & CALLS_DELEGATE ? 1 : 0);
    dg_rows_bind_int(rows, 7, key->flags & CASTS ? 1 : 0);
    dg_rows_bind_int(rows, 8, key->flags & COSTED ? 1 : 0);
    dg_rows_bind_int(rows, 9, sum->calls);
    dg_rows_bind_int(rows, 10, sum->unknown_flops);
    if (sum->unknown_flops < sum->calls)
        dg_rows_bind_int(rows, 11, sum->flops);
    if (sum->unknown_bytes < sum->calls)
        dg_rows_bind_int(rows, 12, sum->bytes);
    dg_rows_bind_int(rows, 13, (int64_t)sum->first + 1);
    dg_rows_bind_int(rows, 14, sum->ops);
}

static enum dg_status write_sums(struct adding *adding)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_store_exec(adding->store, "DELETE FROM call_sum", adding->err);

    if (!status)
        status = dg_rows_open(&rows, adding->store,
                              "INSERT INTO call_sum SELECT method_id, id, ?2, ?3, ?4,"
                              " ?5, ?6, ?7, ?8, ?9, ?14, ?10, ?11, ?12, ?13 FROM graph"
                              " WHERE id = ?1",
                              adding->err);
    if (status)
        return status;
    for (uint32_t i = 0; i < adding->n_sums && !status; i++) {
        bind_sum(&rows, adding, &adding->sums[i]);
        dg_rows_next(&rows);
        status = dg_rows_again(&rows, adding->err);
    }
    return dg_rows_close(&rows, status, adding->err);
}

enum dg_status dg_call_sums_store(struct dg_store *store, struct dg_error *err)
{
    struct adding adding = {.store = store, .err = err};
    enum dg_status status = dg_model_read(&adding.model, store, err);

    if (!status)
        status = dg_costs_read(&adding.costs, store, err);
    if (!status)
        status = read_all_owners(&adding);
    if (!status)
        status = find_casts(&adding);
    if (!status) {
        add_up(&adding);
        status = write_sums(&adding);
    }
    free(adding.sums);
    dg_hash_table_clear(&adding.table);
    dg_text_set_clear(&adding.backends);
    dg_arena_clear(&adding.memory);
    return status;
}
