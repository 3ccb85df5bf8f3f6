/* Instructions of a .pte as steps. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "exec/schedule_fx.h"
#include "exec/schedule_inside.h"
#include "formats/blob.h"

static const char nodes_query[] =
    "SELECT node.id, node.kind, op.name, node.op_id, node.jump, delegate.backend,"
    "       node.name, delegate.inside_id,"
    "       (SELECT format = 'xnnpack' FROM delegate_graph WHERE id = inside_id)"
    "  FROM node LEFT JOIN op ON op.id = node.op_id"
    "  LEFT JOIN delegate ON delegate.id = node.delegate_id"
    " WHERE node.graph_id = ?1 ORDER BY node.idx";

enum { ID, KIND, OP, OP_ID, JUMP, BACKEND, NAME, INSIDE, HAS_KERNELS };

/* One instruction and the operands that it names. */
struct instruction {
    struct dg_pte_maker *maker;
    struct dg_step *step;
    const struct dg_model_operand *operands;
    size_t n;
    bool has_steps; /* of its own, in its place: *step is not wanted */
    enum dg_status status;
};

static bool names_value(const struct dg_pte_maker *maker, int64_t index)
{
    return index >= 0 && (uint64_t)index < maker->n_values;
}

static struct dg_operand *room(struct instruction *in, size_t n)
{
    return dg_alloc(&in->maker->schedule->memory, n, sizeof(struct dg_operand));
}

static struct dg_operand slot_operand(int64_t index)
{
    return (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = (uint32_t)index};
}

static void put_result(struct instruction *in, int64_t index)
{
    in->step->results[in->step->n_results++] = (uint32_t)index;
}

/* A step that cannot run: all it writes is unknown then. */
static void opaque(struct instruction *in, const char *why)
{
    struct dg_step *step = dg_step_opaque(in->step, why);

    step->n_args = step->n_results = 0;
    step->args = room(in, in->n);
    for (size_t i = 0; i < in->n; i++) {
        if (!names_value(in->maker, in->operands[i].idx))
            continue;
        if (in->operands[i].access & DG_ACCESS_READ)
            step->args[step->n_args++] = slot_operand(in->operands[i].idx);
        if (in->operands[i].access & DG_ACCESS_WRITE)
            put_result(in, in->operands[i].idx);
    }
}

/* What nothing writes is known now; lists hold what they name. */
static struct dg_operand argument(struct instruction *in, int64_t index)
{
    struct dg_pte_maker *maker = in->maker;
    const struct dg_slot *slot = &maker->schedule->slots[index];
    const struct dg_pte_value *value = &maker->values[index];
    struct dg_operand operand = slot_operand(index);

    if (dg_value_is_list(value->stored)) {
        operand = *slot->list;
        operand.items = room(in, operand.n_items);
        for (size_t i = 0; i < operand.n_items; i++) {
            const struct dg_operand *item = &slot->list->items[i];

            operand.items[i] = *item;
            if (item->kind == DG_OPERAND_SLOT &&
                !dg_value_is_list(maker->values[item->slot].stored))
                operand.items[i] = argument(in, item->slot);
        }
    } else if (value->stored->kind != DG_VALUE_TENSOR && !value->written) {
        operand =
            (struct dg_operand){.kind = DG_OPERAND_LITERAL, .literal = slot->initial};
    }
    return operand;
}

static void adapt(struct dg_arg *literal, const struct dg_pte_arg *arg)
{
    const struct dg_dtype *dtype;

    if (arg->as == DG_PTE_UNUSED) {
        *literal = (struct dg_arg){0};
    } else if (arg->as == DG_PTE_REAL) {
        dg_fx_adapt(literal, "float");
    } else if (arg->as == DG_PTE_TYPE && literal->kind == DG_ARG_INT) {
        dtype = dg_dtype_of_c10(literal->as.integer);
        literal->kind = DG_ARG_TYPE;
        literal->as.type = dg_type_of(dtype);
    }
}

/* The type of the tensor that takes the first result. */
static struct dg_arg type_of_out(struct instruction *in, const struct dg_pte_op *op)
{
    const struct dg_arg *out =
        &in->maker->schedule->slots[in->operands[op->n_inputs].idx].initial;

    if (out->kind != DG_ARG_TENSOR)
        return (struct dg_arg){0};
    return (struct dg_arg){.kind = DG_ARG_TYPE, .as.type = out->as.tensor->type};
}

static struct dg_operand match(struct instruction *in, const struct dg_pte_op *op,
                               const struct dg_pte_arg *arg)
{
    struct dg_operand operand = arg->otherwise;

    if (arg->operand >= 0)
        operand = argument(in, in->operands[arg->operand].idx);
    else if (arg->operand < -1)
        return (struct dg_operand){.kind = DG_OPERAND_LITERAL,
                                   .literal = type_of_out(in, op)};
    if (operand.kind == DG_OPERAND_LITERAL)
        adapt(&operand.literal, arg);
    return operand;
}

/* Where results go: to the out arguments, to the first argument, or to the operand
 * behind them all. */
static void put_results(struct instruction *in, const struct dg_pte_op *op)
{
    size_t first = op->n_inputs;
    size_t n = op->n_outs ? op->n_outs : in->n > first;

    if (in->step->variant == DG_VARIANT_IN_PLACE) {
        first = 0;
        n = 1;
    }
    for (size_t i = 0; i < n; i++)
        put_result(in, in->operands[first + i].idx);
}

static const char *why_unusable(const struct instruction *in)
{
    const struct dg_pte_maker *maker = in->maker;

    for (size_t i = 0; i < in->n; i++) {
        int64_t index = in->operands[i].idx;
        const struct dg_slot *slot;

        if (!names_value(maker, index))
            return "an operand names no value";
        slot = &maker->schedule->slots[index];
        if (slot->missing && slot->kind == DG_SLOT_COMPUTED)
            return slot->missing;
    }
    return NULL;
}

static void kernel_call(struct instruction *in, const struct dg_rows *row)
{
    const struct dg_pte_op *op = NULL;
    struct dg_step *step = in->step;
    const char *why = why_unusable(in);

    if (!dg_rows_null(row, OP))
        op = dg_pte_schedule_op(in->maker, dg_rows_int(row, OP_ID),
                                dg_rows_text(row, OP));
    step->op = op ? op->name : NULL;
    if (!why && (!op || !op->resolved.kernel))
        why = op ? dg_why_no_kernel(op->name) : "no kernel";
    else if (!why && in->n < op->n_inputs + op->n_outs)
        why = "fewer operands than its schema has arguments";
    if (why) {
        opaque(in, why);
        return;
    }
    step->kind = DG_STEP_CALL;
    step->kernel = op->resolved.kernel;
    step->variant = op->resolved.variant;
    step->n_args = op->n_args;
    step->args = room(in, op->n_args);
    for (size_t i = 0; i < op->n_args; i++)
        step->args[i] = match(in, op, &op->args[i]);
    put_results(in, op);
}

/* What its nodes do, where its blob says it. */
static const char *open_delegate(struct instruction *in, const struct dg_rows *row)
{
    struct dg_inside_call call = {.graph_id = dg_rows_int(row, INSIDE),
                                  .node_id = in->step->node_id,
                                  .name = in->step->name,
                                  .operands = in->operands,
                                  .n_operands = in->n};
    const char *why = NULL;

    in->status = dg_inside_steps(&why, in->maker, &call);
    in->has_steps = !in->status && !why;
    return why;
}

static void delegate_call(struct instruction *in, const struct dg_rows *row)
{
    const char *backend = dg_rows_text(row, BACKEND), *why = NULL;
    struct dg_arena *memory = &in->maker->schedule->memory;

    in->step->op =
        dg_format(memory, "delegate %s", backend ? backend : "that the file lacks")
            .data;
    if (dg_rows_int(row, HAS_KERNELS))
        why = open_delegate(in, row);
    else if (!dg_rows_null(row, INSIDE))
        why = "there are no kernels for its nodes";
    else if (backend && dg_blob_reader(dg_text(backend)))
        why = "its blob could not be read, and delegraph check says why";
    if (!in->has_steps)
        opaque(in, why ? dg_format(memory, "%s: %s", in->step->op, why).data
                       : in->step->op);
}

static void move_call(struct instruction *in, const struct dg_rows *row)
{
    if (in->n != 2 || !names_value(in->maker, in->operands[0].idx) ||
        !names_value(in->maker, in->operands[1].idx)) {
        opaque(in, "a move without two values");
        return;
    }
    in->step->kind = DG_STEP_MOVE;
    in->step->n_args = 1;
    in->step->args = room(in, 1);
    in->step->args[0] = slot_operand(in->operands[0].idx);
    put_result(in, in->operands[1].idx);
}

static void jump_call(struct instruction *in, const struct dg_rows *row)
{
    int64_t jump = dg_rows_int_or(row, JUMP, -1);

    if (in->n != 1 || !names_value(in->maker, in->operands[0].idx) || jump < 0 ||
        (uint64_t)jump > in->maker->n_instructions) {
        opaque(in, "a jump to nowhere");
        return;
    }
    in->step->kind = DG_STEP_JUMP_FALSE;
    in->step->jump = (uint32_t)jump;
    in->step->n_args = 1;
    in->step->args = room(in, 1);
    in->step->args[0] = slot_operand(in->operands[0].idx);
}

static void free_call(struct instruction *in, const struct dg_rows *row)
{
    if (in->n != 1 || !names_value(in->maker, in->operands[0].idx)) {
        opaque(in, "a free of no value");
        return;
    }
    in->step->kind = DG_STEP_FREE;
    put_result(in, in->operands[0].idx);
}

static const struct {
    const char *kind;
    void (*read)(struct instruction *in, const struct dg_rows *row);
} kinds[] = {
    {"kernel_call", kernel_call}, {"delegate_call", delegate_call},
    {"move_call", move_call},     {"jump_false_call", jump_call},
    {"free_call", free_call},
};

static void read_kind(struct instruction *in, const struct dg_rows *row)
{
    struct dg_text kind = dg_text(dg_rows_text(row, KIND));

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (dg_text_is(kind, kinds[i].kind)) {
            kinds[i].read(in, row);
            return;
        }
    }
    opaque(in, "an instruction of a kind that is not known");
}

static enum dg_status read_instruction(struct dg_pte_maker *maker,
                                       const struct dg_rows *row)
{
    const struct dg_model *model = maker->model;
    struct dg_step step = {.node_id = dg_rows_int(row, ID)};
    struct instruction in = {.maker = maker, .step = &step};
    uint32_t node = (uint32_t)step.node_id - 1;

    step.name = dg_copy(&maker->schedule->memory, dg_rows_slice(row, NAME));
    in.n = model->operand_of[node + 1] - model->operand_of[node];
    if (in.n)
        in.operands = &model->operands[model->operand_of[node]];
    step.results = dg_alloc(&maker->schedule->memory, in.n, sizeof(*step.results));
    read_kind(&in, row);
    if (!in.status && !in.has_steps)
        *dg_pte_add_step(maker) = step;
    return in.status;
}

static enum dg_status make_room(struct dg_pte_maker *maker, struct dg_model_graph graph)
{
    int64_t n_ops = 0;
    enum dg_status status =
        dg_store_int(maker->store, "SELECT max(id) FROM op", 0, &n_ops, maker->err);

    maker->n_instructions = graph.n_nodes;
    maker->n_ops = (size_t)n_ops + 1;
    maker->ops = dg_alloc(&maker->scratch, maker->n_ops, sizeof(*maker->ops));
    return status;
}

/* Instructions name each other by number; a delegate may have become several steps, or
 * none. */
static void lead_jumps(struct dg_schedule *schedule, const uint32_t *first)
{
    for (size_t i = 0; i < schedule->n_steps; i++) {
        if (schedule->steps[i].kind == DG_STEP_JUMP_FALSE)
            schedule->steps[i].jump = first[schedule->steps[i].jump];
    }
}

/* Numbers that instructions write keep their last value from call to call. */
static void note_writes(struct dg_pte_maker *maker, struct dg_model_graph graph)
{
    const struct dg_model *model = maker->model;
    uint32_t end = graph.first + graph.n_nodes;

    for (uint32_t k = graph.n_nodes ? model->operand_of[graph.first] : 0;
         graph.n_nodes && k < model->operand_of[end]; k++) {
        int64_t index = model->operands[k].idx;

        if (!(model->operands[k].access & DG_ACCESS_WRITE) ||
            !names_value(maker, index))
            continue;
        maker->values[index].written = true;
        if (maker->values[index].stored->kind != DG_VALUE_TENSOR)
            maker->schedule->slots[index].kind = DG_SLOT_BUFFER;
    }
}

enum dg_status dg_pte_schedule_steps(struct dg_pte_maker *maker)
{
    struct dg_schedule *schedule = maker->schedule;
    struct dg_model_graph graph;
    struct dg_rows rows;
    uint32_t *first;
    enum dg_status status = dg_model_read(&maker->model, maker->store, maker->err);

    if (status)
        return status;
    graph = dg_model_graph_at(maker->model, schedule->graph_id);
    status = make_room(maker, graph);
    note_writes(maker, graph);
    if (!status)
        status = dg_rows_open(&rows, maker->store, nodes_query, maker->err);
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, schedule->graph_id);
    first = dg_alloc(&maker->scratch, graph.n_nodes + 1u, sizeof(*first));
    for (size_t i = 0; !status && i < graph.n_nodes && dg_rows_next(&rows); i++) {
        first[i] = (uint32_t)schedule->n_steps;
        status = read_instruction(maker, &rows);
    }
    first[graph.n_nodes] = (uint32_t)schedule->n_steps;
    lead_jumps(schedule, first);
    return dg_rows_close(&rows, status, maker->err);
}
