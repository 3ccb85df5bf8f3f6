/* Reading the instructions of a method, and what they do to values. */
#include <stdlib.h>
#include <string.h>

#include "base/ops.h"
#include "graph/flow_parts.h"

static bool is_in_place(const char *op)
{
    size_t length = strcspn(op, ".");

    return length && op[length - 1] == '_';
}

/* aten::_slice_copy_nop.Tensor_out, aten::_cat_nop.out: memory planning has put the
 * slice into the whole, and the parts into what they are joined to. */
static bool is_nop(const char *op)
{
    size_t length = strcspn(op, ".");

    return length > 4 && !strncmp(op, "aten::_", 7) &&
           !strncmp(op + length - 4, "_nop", 4);
}

static struct dg_flow_op facts_of(const char *name)
{
    static const char *const replace[] = {"aten::copy_", "aten::fill_.Scalar",
                                          "aten::fill_.Tensor", "aten::zero_"};
    struct dg_flow_op facts = {
        .in_place = is_in_place(name),
        .nop = is_nop(name),
        .views = !strncmp(name, "executorch_prim::et_view", 24),
        .fills = !strcmp(name, "executorch_prim::et_copy_index.tensor"),
    };

    for (size_t i = 0; i < sizeof(replace) / sizeof(*replace); i++)
        facts.replaces |= !strcmp(name, replace[i]);
    return facts;
}

static enum dg_status read_ops(struct dg_flow_loader *loader, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, loader->store,
                     "SELECT name, flags, args IS NOT NULL FROM op ORDER BY id", err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        struct dg_flow_op *facts = DG_APPEND(loader->ops, loader->n_ops);

        *facts = facts_of(dg_rows_text(&rows, 0));
        facts->flags = (unsigned)dg_rows_int(&rows, 1);
        facts->known = dg_rows_int(&rows, 2);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void read_node(struct dg_flow_loader *loader, const struct dg_rows *rows)
{
    struct dg_flow *plan = loader->plan;
    struct dg_flow_node *node = DG_APPEND(plan->nodes, plan->n_nodes);
    struct dg_flow_call *call = DG_APPEND(loader->calls, loader->n_calls);
    const char *kind = dg_rows_text(rows, 1);
    int64_t op = dg_rows_int_or(rows, 3, 0);

    if (plan->n_nodes == 1)
        plan->first_id = dg_rows_int(rows, 0);
    call->op = op > 0 && op <= loader->n_ops ? (uint32_t)op - 1 : DG_FLOW_NONE;
    call->kind = kind ? *kind : '\0';
    node->falls = true;
    node->moves = call->kind == 'm';
    node->jumps = call->kind == 'j';
    node->jump = dg_rows_int_or(rows, 2, -1);
    node->pointwise =
        call->op != DG_FLOW_NONE && loader->ops[call->op].flags & DG_OP_POINTWISE;
    node->nop = call->op != DG_FLOW_NONE && loader->ops[call->op].nop;
}

static enum dg_status read_nodes(struct dg_flow_loader *loader, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, loader->store,
                     "SELECT id, kind, jump, op_id FROM node WHERE graph_id = ?1"
                     " ORDER BY id",
                     err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, loader->plan->graph_id);
    while (dg_rows_next(&rows))
        read_node(loader, &rows);
    return dg_rows_close(&rows, DG_OK, err);
}

static void touch(struct dg_flow *plan, uint32_t node, uint32_t value, unsigned how)
{
    *DG_APPEND(plan->touches, plan->n_touches) =
        (struct dg_touch){node, value, DG_FLOW_NONE, how};
}

/* A list is touched, and so is what it holds. */
static void touch_all(struct dg_flow_loader *loader, uint32_t node, uint32_t value,
                      unsigned how)
{
    const char *at = loader->plan->too_large ? NULL : loader->lists[value].items;

    touch(loader->plan, node, value, how);
    while (at && (at = strpbrk(at, "-0123456789"))) {
        char *end;
        uint32_t item = dg_flow_value_at(loader->plan, strtoll(at, &end, 10));

        if (item != DG_FLOW_NONE && item != value)
            touch(loader->plan, node, item, how);
        at = end > at ? end : at + 1;
    }
}

static const struct dg_flow_op *op_at(const struct dg_flow_loader *loader)
{
    static const struct dg_flow_op none;
    uint32_t op = loader->calls[loader->node].op;

    return op == DG_FLOW_NONE ? &none : &loader->ops[op];
}

static unsigned how_of(const struct dg_flow_loader *loader, int64_t pos, char access)
{
    const struct dg_flow_op *op = op_at(loader);
    char kind = loader->calls[loader->node].kind;
    unsigned how = DG_TOUCH_READ;

    if (!pos && op->fills)
        return DG_TOUCH_WRITE | DG_TOUCH_KEEP | DG_TOUCH_UPDATE;
    if (!pos && op->replaces)
        return DG_TOUCH_WRITE | DG_TOUCH_UPDATE;
    if (access == 'w')
        how = DG_TOUCH_WRITE;
    else if (access == 'b')
        how = DG_TOUCH_READ | DG_TOUCH_WRITE | DG_TOUCH_KEEP | DG_TOUCH_UPDATE;
    if (how & DG_TOUCH_READ && (kind == 'd' || (kind == 'k' && !op->known)))
        how |= DG_TOUCH_UNSURE;
    return how;
}

/* A kernel that works in place stores the tensor it was given in the value of its last
 * operand, wherever that was planned. */
static void make_alias(struct dg_flow *plan, uint32_t updated)
{
    struct dg_touch *last = &plan->touches[plan->n_touches - 1];

    if (!(last->how & DG_TOUCH_WRITE) || last->value == updated)
        return;
    last->how = DG_TOUCH_MOVE;
    last->from = updated;
}

/* `to` now names the bytes of `from`: the last two touches of a node. */
static void make_move(struct dg_flow *plan, uint32_t node)
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

static void read_operand(struct dg_flow_loader *loader, const struct dg_rows *rows)
{
    struct dg_flow *plan = loader->plan;
    const char *access = dg_rows_text(rows, 3);
    int64_t pos = dg_rows_int(rows, 1);
    uint32_t value;

    loader->moving = plan->nodes[loader->node].moves || op_at(loader)->views;
    if (dg_rows_null(rows, 4) || !access)
        return;
    value = dg_flow_value_at(plan, dg_rows_int(rows, 2));
    if (value == DG_FLOW_NONE)
        return;
    if (!pos && *access == 'b' && op_at(loader)->in_place)
        loader->updated = value;
    touch_all(loader, loader->node, value, how_of(loader, pos, *access));
}

static void end_node(struct dg_flow_loader *loader)
{
    if (loader->moving)
        make_move(loader->plan, loader->node);
    else if (loader->updated != DG_FLOW_NONE)
        make_alias(loader->plan, loader->updated);
    loader->moving = false;
    loader->updated = DG_FLOW_NONE;
}

static enum dg_status read_operands(struct dg_flow_loader *loader, struct dg_error *err)
{
    struct dg_flow *plan = loader->plan;
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, loader->store,
                     "SELECT node_id, pos, value_idx, access, value_id FROM operand"
                     " WHERE node_id BETWEEN ?1 AND ?2 ORDER BY node_id, pos",
                     err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, plan->first_id);
    dg_rows_bind_int(&rows, 2, plan->first_id + plan->n_nodes - 1);
    loader->updated = DG_FLOW_NONE;
    while (dg_rows_next(&rows)) {
        uint32_t node = (uint32_t)(dg_rows_int(&rows, 0) - plan->first_id);

        if (node != loader->node)
            end_node(loader);
        loader->node = node;
        read_operand(loader, &rows);
    }
    end_node(loader);
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_flow_read_calls(struct dg_flow_loader *loader, struct dg_error *err)
{
    enum dg_status status = read_ops(loader, err);

    if (!status)
        status = read_nodes(loader, err);
    if (!status && loader->plan->n_nodes)
        status = read_operands(loader, err);
    free(loader->calls);
    free(loader->ops);
    return status;
}
