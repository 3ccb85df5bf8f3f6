/* Reading a method's instructions from the store. */
#include "graph/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/ops.h"

struct list {    /* a value that holds other values */
    char *items; /* JSON; NULL: no list */
};

struct loader {
    struct dg_plan *plan;
    struct dg_store *store;
    struct list *lists; /* by value */
    uint32_t n_lists;
    struct dg_arena memory;
};

static bool is_text(const char *text, const char *wanted)
{
    return text && !strcmp(text, wanted);
}

static void place_value(struct dg_plan_value *value, const struct dg_rows *rows)
{
    int64_t offset = dg_rows_int_or(rows, 4, -1), size = dg_rows_int_or(rows, 5, 0);

    value->arena = -1;
    if (dg_rows_null(rows, 3) || offset < 0 || size <= 0 || offset > INT64_MAX - size)
        return;
    value->arena = dg_rows_int(rows, 3);
    value->begin = offset;
    value->end = offset + size;
}

static void read_value(struct loader *loader, const struct dg_rows *rows)
{
    struct dg_plan *plan = loader->plan;
    struct dg_plan_value *value = DG_APPEND(plan->values, plan->n_values);
    struct list *list = DG_APPEND(loader->lists, loader->n_lists);
    const char *kind = dg_rows_text(rows, 2);

    value->id = dg_rows_int(rows, 0);
    value->idx = dg_rows_int(rows, 1);
    value->constant = -1;
    place_value(value, rows);
    if (is_text(kind, "bool") && !dg_rows_null(rows, 8))
        value->constant = dg_rows_int(rows, 8) != 0;
    value->state = is_text(dg_rows_text(rows, 6), "mutable") ||
                   (value->arena >= 0 && !dg_rows_null(rows, 7));
    if ((is_text(kind, "tensor_list") || is_text(kind, "optional_tensor_list")) &&
        !dg_rows_null(rows, 9))
        list->items = dg_copy(&loader->memory, dg_rows_slice(rows, 9));
}

static enum dg_status read_values(struct loader *loader, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, loader->store,
        "SELECT id, idx, kind, mem_id, mem_offset, nbytes, storage, name, scalar, items"
        "  FROM value WHERE graph_id = ?1 ORDER BY idx",
        err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, loader->plan->graph_id);
    while (dg_rows_next(&rows))
        read_value(loader, &rows);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status read_nodes(struct loader *loader, struct dg_error *err)
{
    struct dg_plan *plan = loader->plan;
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, loader->store,
                                         "SELECT node.id, node.kind, jump, flags"
                                         "  FROM node LEFT JOIN op ON op.id = op_id"
                                         " WHERE graph_id = ?1 ORDER BY node.id",
                                         err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, plan->graph_id);
    while (dg_rows_next(&rows)) {
        struct dg_plan_node *node = DG_APPEND(plan->nodes, plan->n_nodes);

        if (plan->n_nodes == 1)
            plan->first_id = dg_rows_int(&rows, 0);
        node->falls = true;
        node->jumps = is_text(dg_rows_text(&rows, 1), "jump_false_call");
        node->jump = dg_rows_int_or(&rows, 2, -1);
        node->pointwise = dg_rows_int_or(&rows, 3, 0) & DG_OP_POINTWISE;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static uint32_t value_at(const struct dg_plan *plan, int64_t idx)
{
    uint32_t low = 0, high = plan->n_values;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (plan->values[middle].idx < idx)
            low = middle + 1;
        else
            high = middle;
    }
    return low < plan->n_values && plan->values[low].idx == idx ? low : DG_PLAN_NONE;
}

static void touch(struct dg_plan *plan, uint32_t node, uint32_t value, unsigned how)
{
    *DG_APPEND(plan->touches, plan->n_touches) =
        (struct dg_touch){node, value, DG_PLAN_NONE, how};
}

/* A list is touched, and so is what it holds. */
static void touch_all(struct loader *loader, uint32_t node, uint32_t value,
                      unsigned how)
{
    const char *at = loader->lists[value].items;

    touch(loader->plan, node, value, how);
    while (at && (at = strpbrk(at, "-0123456789"))) {
        char *end;
        uint32_t item = value_at(loader->plan, strtoll(at, &end, 10));

        if (item != DG_PLAN_NONE && item != value)
            touch(loader->plan, node, item, how);
        at = end > at ? end : at + 1;
    }
}

/* Operators that write an operand without looking at it first. */
static unsigned refine(const char *op, int64_t pos, unsigned how)
{
    static const char *const replace[] = {"aten::copy_", "aten::fill_.Scalar",
                                          "aten::fill_.Tensor", "aten::zero_"};

    if (!op || pos)
        return how;
    if (!strcmp(op, "executorch_prim::et_copy_index.tensor"))
        return DG_TOUCH_WRITE | DG_TOUCH_KEEP;
    for (size_t i = 0; i < sizeof(replace) / sizeof(*replace); i++) {
        if (!strcmp(op, replace[i]))
            return DG_TOUCH_WRITE;
    }
    return how;
}

static unsigned how_of(const struct dg_rows *rows)
{
    const char *access = dg_rows_text(rows, 3), *kind = dg_rows_text(rows, 4);
    bool opaque = is_text(kind, "kernel_call") && dg_rows_null(rows, 6);
    unsigned how = DG_TOUCH_READ;

    if (is_text(access, "write"))
        how = DG_TOUCH_WRITE;
    else if (is_text(access, "both"))
        how = DG_TOUCH_READ | DG_TOUCH_WRITE | DG_TOUCH_KEEP;
    if (opaque || is_text(kind, "delegate_call")) {
        if (how & DG_TOUCH_READ)
            how |= DG_TOUCH_UNSURE;
    }
    return refine(dg_rows_text(rows, 5), dg_rows_int(rows, 1), how);
}

/* `to` now names the bytes of `from`: the last two touches of a node. */
static void make_move(struct dg_plan *plan, uint32_t node)
{
    struct dg_touch *from = NULL, *to = NULL;

    for (uint32_t i = plan->n_touches; i-- > 0 && plan->touches[i].node == node;) {
        struct dg_touch *one = &plan->touches[i];

        if (one->how & DG_TOUCH_WRITE)
            to = one;
        else
            from = one;
    }
    if (!from || !to || from->value == to->value)
        return;
    to->how = DG_TOUCH_MOVE;
    to->from = from->value;
}

static bool moves(const struct dg_rows *rows)
{
    const char *op = dg_rows_text(rows, 5);

    return is_text(dg_rows_text(rows, 4), "move_call") ||
           (op && !strncmp(op, "executorch_prim::et_view", 24));
}

static void read_operand(struct loader *loader, const struct dg_rows *rows)
{
    struct dg_plan *plan = loader->plan;
    uint32_t node = (uint32_t)(dg_rows_int(rows, 0) - plan->first_id);
    uint32_t value = value_at(plan, dg_rows_int_or(rows, 2, -1));

    if (value != DG_PLAN_NONE)
        touch_all(loader, node, value, how_of(rows));
}

static enum dg_status read_operands(struct loader *loader, struct dg_error *err)
{
    struct dg_plan *plan = loader->plan;
    uint32_t moving = DG_PLAN_NONE;
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, loader->store,
        "SELECT node_id, pos, value.idx, access, node.kind, op.name, op.args"
        "  FROM operand JOIN node ON node.id = node_id"
        "  JOIN value ON value.id = operand.value_id LEFT JOIN op ON op.id = op_id"
        " WHERE node_id BETWEEN ?1 AND ?2 ORDER BY node_id, pos",
        err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, plan->first_id);
    dg_rows_bind_int(&rows, 2, plan->first_id + plan->n_nodes - 1);
    while (dg_rows_next(&rows)) {
        uint32_t node = (uint32_t)(dg_rows_int(&rows, 0) - plan->first_id);

        if (moving != DG_PLAN_NONE && moving != node)
            make_move(plan, moving);
        read_operand(loader, &rows);
        moving = moves(&rows) ? node : DG_PLAN_NONE;
    }
    if (moving != DG_PLAN_NONE)
        make_move(plan, moving);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status read_signature(struct loader *loader, struct dg_error *err)
{
    struct dg_plan *plan = loader->plan;
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, loader->store,
        "SELECT direction, value_idx FROM signature WHERE graph_id = ?1", err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, plan->graph_id);
    while (dg_rows_next(&rows)) {
        uint32_t value = value_at(plan, dg_rows_int_or(&rows, 1, -1));

        if (value == DG_PLAN_NONE)
            continue;
        if (is_text(dg_rows_text(&rows, 0), "input"))
            plan->values[value].first = true;
        else
            plan->values[value].last = true;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void index_touches(struct dg_plan *plan)
{
    plan->touch_of = dg_alloc(&plan->memory, plan->n_nodes + 1, sizeof(uint32_t));
    for (uint32_t i = 0; i < plan->n_touches; i++) {
        const struct dg_touch *one = &plan->touches[i];

        plan->touch_of[one->node + 1]++;
        if (one->how & ~(unsigned)DG_TOUCH_READ)
            plan->values[one->value].constant = -1;
    }
    for (uint32_t i = 0; i < plan->n_nodes; i++)
        plan->touch_of[i + 1] += plan->touch_of[i];
}

/* A jump whose condition is a constant goes one way. */
static void settle_jumps(struct dg_plan *plan)
{
    for (uint32_t i = 0; i < plan->n_nodes; i++) {
        struct dg_plan_node *node = &plan->nodes[i];
        signed char constant = -1;

        if (!node->jumps)
            continue;
        if (plan->touch_of[i] < plan->touch_of[i + 1])
            constant = plan->values[plan->touches[plan->touch_of[i]].value].constant;
        node->falls = constant != 0;
        node->jumps = constant != 1;
    }
}

enum dg_status dg_plan_load(struct dg_plan *plan, struct dg_store *store, int64_t id,
                            struct dg_error *err)
{
    struct loader loader = {.plan = plan, .store = store};
    enum dg_status status;

    *plan = (struct dg_plan){.graph_id = id};
    status = read_values(&loader, err);
    if (!status)
        status = read_nodes(&loader, err);
    if (!status && plan->n_nodes)
        status = read_operands(&loader, err);
    if (!status)
        status = read_signature(&loader, err);
    for (uint32_t i = 0; i < plan->n_values; i++) {
        plan->values[i].first |= plan->values[i].state;
        plan->values[i].last |= plan->values[i].state;
    }
    index_touches(plan);
    settle_jumps(plan);
    dg_plan_divide(plan);
    free(loader.lists);
    dg_arena_clear(&loader.memory);
    return status;
}

void dg_plan_clear(struct dg_plan *plan)
{
    free(plan->values);
    free(plan->nodes);
    free(plan->touches);
    dg_arena_clear(&plan->memory);
    *plan = (struct dg_plan){0};
}
