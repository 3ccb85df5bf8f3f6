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

static bool fills(const char *op)
{
    return !strcmp(op, "executorch_prim::et_copy_index.tensor");
}

static bool replaces(const char *op)
{
    static const char *const names[] = {"aten::copy_", "aten::fill_.Scalar",
                                        "aten::fill_.Tensor", "aten::zero_"};
    bool found = false;

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        found |= !strcmp(op, names[i]);
    return found;
}

bool dg_flow_overwrites(const char *op)
{
    return fills(op) || replaces(op);
}

static struct dg_flow_op facts_of(const char *name)
{
    return (struct dg_flow_op){
        .in_place = is_in_place(name),
        .nop = is_nop(name),
        .views = !strncmp(name, "executorch_prim::et_view", 24),
        .fills = fills(name),
        .replaces = replaces(name),
    };
}

static enum dg_status read_ops(struct dg_flow_loader *loader, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        loader->store, "SELECT name, flags, args IS NOT NULL FROM op ORDER BY id", err);

    while (dg_rows_next(&rows)) {
        struct dg_flow_op *facts = DG_APPEND(loader->ops, loader->n_ops);

        *facts = facts_of(dg_rows_text(&rows, 0));
        facts->flags = (unsigned)dg_rows_int(&rows, 1);
        facts->known = dg_rows_int(&rows, 2);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static const struct dg_flow_op *op_of(const struct dg_flow_loader *loader,
                                      const struct dg_model_node *node)
{
    static const struct dg_flow_op none;

    return node->op && node->op <= loader->n_ops ? &loader->ops[node->op - 1] : &none;
}

static void take_node(const struct dg_flow_loader *loader, struct dg_flow_node *node,
                      const struct dg_model_node *from)
{
    const struct dg_flow_op *op = op_of(loader, from);

    node->falls = true;
    node->moves = from->kind == DG_NODE_MOVE_CALL;
    node->jumps = from->kind == DG_NODE_JUMP_FALSE_CALL;
    node->jump = from->jump == DG_NO_JUMP ? DG_NONE : from->jump;
    node->pointwise = op->flags & DG_OP_POINTWISE;
    node->nop = op->nop;
}

static void access(struct dg_flow *flow, uint32_t node, uint32_t value, unsigned how)
{
    *DG_APPEND(flow->accesses, flow->n_accesses) =
        (struct dg_flow_access){node, value, DG_FLOW_NONE, how};
}

/* A list is accessed, and so is what it holds. */
static void access_all(struct dg_flow_loader *loader, uint32_t node, uint32_t value,
                       unsigned how)
{
    const struct dg_model_value *list = &loader->flow->stored[value];
    const int64_t *items = dg_numbers_of(loader->values, list->content);

    access(loader->flow, node, value, how);
    if (!dg_value_holds_values(list) || loader->flow->too_large)
        return;
    for (int64_t i = 0; i < list->content.n; i++) {
        uint32_t item = dg_flow_value_at(loader->flow, items[i]);

        if (item != DG_FLOW_NONE && item != value)
            access(loader->flow, node, item, how);
    }
}

static unsigned how_of(const struct dg_model_node *node, const struct dg_flow_op *op,
                       const struct dg_model_operand *operand)
{
    unsigned how = DG_FLOW_READ;

    if (!operand->pos && op->fills)
        return DG_FLOW_WRITE | DG_FLOW_KEEP | DG_FLOW_UPDATE;
    if (!operand->pos && op->replaces)
        return DG_FLOW_WRITE | DG_FLOW_UPDATE;
    if (operand->access == DG_ACCESS_WRITE)
        how = DG_FLOW_WRITE;
    else if (operand->access == DG_ACCESS_BOTH)
        how = DG_FLOW_READ | DG_FLOW_WRITE | DG_FLOW_KEEP | DG_FLOW_UPDATE;
    if (how & DG_FLOW_READ && node->kind == DG_NODE_DELEGATE_CALL)
        how |= DG_FLOW_DELEGATE | (operand->blob_reads ? 0 : DG_FLOW_UNSURE);
    if (how & DG_FLOW_READ && node->kind == DG_NODE_KERNEL_CALL && !op->known)
        how |= DG_FLOW_UNSURE;
    return how;
}

/* A kernel that works in place stores the tensor it was given in the value of its last
 * operand, wherever that was planned. */
static void make_alias(struct dg_flow *flow, uint32_t updated)
{
    struct dg_flow_access *last = &flow->accesses[flow->n_accesses - 1];

    if (!(last->how & DG_FLOW_WRITE) || last->value == updated)
        return;
    last->how = DG_FLOW_MOVE;
    last->from = updated;
}

/* `to` now names the bytes of `from`: the last two accesses of a node. */
static void make_move(struct dg_flow *flow, uint32_t node)
{
    struct dg_flow_access *from = NULL, *to = NULL;

    for (uint32_t i = flow->n_accesses; i-- > 0 && flow->accesses[i].node == node;) {
        struct dg_flow_access *one = &flow->accesses[i];

        if (one->how & DG_FLOW_WRITE)
            to = one;
        else
            from = one;
    }
    if (!from || !to || from->value == to->value)
        return;
    to->how = DG_FLOW_MOVE;
    to->from = from->value;
}

/* What node `i` of the method does to its operands. */
static void access_operands(struct dg_flow_loader *loader, uint32_t i)
{
    struct dg_flow *flow = loader->flow;
    const struct dg_model *model = loader->model;
    uint32_t at = loader->graph.first + i, updated = DG_FLOW_NONE;
    const struct dg_model_node *node = &model->nodes[at];
    const struct dg_flow_op *op = op_of(loader, node);

    for (uint32_t k = model->operand_of[at]; k < model->operand_of[at + 1]; k++) {
        const struct dg_model_operand *operand = &model->operands[k];
        uint32_t value = dg_flow_value_at(flow, operand->idx);

        if (!operand->value || value == DG_FLOW_NONE)
            continue;
        if (!operand->pos && operand->access == DG_ACCESS_BOTH && op->in_place)
            updated = value;
        access_all(loader, i, value, how_of(node, op, operand));
    }
    if (flow->nodes[i].moves || op->views)
        make_move(flow, i);
    else if (updated != DG_FLOW_NONE)
        make_alias(flow, updated);
}

enum dg_status dg_flow_read_calls(struct dg_flow_loader *loader, struct dg_error *err)
{
    struct dg_flow *flow = loader->flow;
    enum dg_status status = read_ops(loader, err);

    if (!status)
        status = dg_model_read(&loader->model, loader->store, err);
    if (!status)
        loader->graph = dg_model_graph_at(loader->model, loader->flow->graph_id);
    flow->first_id = (int64_t)loader->graph.first + 1;
    flow->n_nodes = loader->graph.n_nodes;
    flow->nodes = dg_zeroed(flow->n_nodes, sizeof(*flow->nodes));
    for (uint32_t i = 0; i < flow->n_nodes; i++)
        take_node(loader, &flow->nodes[i],
                  &loader->model->nodes[loader->graph.first + i]);
    for (uint32_t i = 0; i < flow->n_nodes; i++)
        access_operands(loader, i);
    free(loader->ops);
    return status;
}
