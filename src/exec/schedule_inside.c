/* The nodes of an XNNPACK delegate as steps, in the place of its call. */
#include "exec/schedule_inside.h"

#include <stdlib.h>
#include <string.h>

#include "exec/schedule_fx.h"
#include "formats/blob.h"

/* Of all calls: a small file may call a large graph often. */
enum { INSIDE_MOST = 1 << 21 };

struct making {
    struct dg_pte_maker *maker;
    struct dg_inside *inside;
    const struct dg_inside_call *call;
    uint32_t *slots; /* by value */
    uint32_t *outer; /* by value that is turned: the operand of which `slots` has a copy
                        in the order that the graph takes for its own */
    uint32_t *last;  /* by value: the node behind which nobody reads it */
    const char *why; /* it cannot be made */
};

static struct dg_schedule *schedule_of(const struct making *making)
{
    return making->maker->schedule;
}

static void *room(const struct making *making, size_t n, size_t size)
{
    return dg_alloc(&schedule_of(making)->memory, n, size);
}

static uint32_t add_slot(struct making *making, const struct dg_inside_value *value)
{
    struct dg_slot *slot = dg_pte_add_slot(making->maker);

    slot->arena = -1;
    slot->name = making->call->name;
    slot->kind = value->constant >= 0 ? DG_SLOT_CONSTANT : DG_SLOT_COMPUTED;
    slot->is_nhwc = value->is_nhwc;
    dg_arg_set(&slot->initial, &value->initial);
    return (uint32_t)schedule_of(making)->n_slots - 1;
}

/* The slot of the operand that a value is; DG_INSIDE_NONE: there is no such tensor. */
static uint32_t operand_of(const struct making *making,
                           const struct dg_inside_value *value)
{
    int64_t index = value->external, slot;

    if (index < 0 || (uint64_t)index >= making->call->n_operands)
        return DG_INSIDE_NONE;
    slot = making->call->operands[index].idx;
    if (slot < 0 || (uint64_t)slot >= making->maker->n_values ||
        schedule_of(making)->slots[slot].initial.kind != DG_ARG_TENSOR)
        return DG_INSIDE_NONE;
    return (uint32_t)slot;
}

static const struct dg_tensor *declared(const struct making *making, uint32_t slot)
{
    return schedule_of(making)->slots[slot].initial.as.tensor;
}

/* Indices are i32 inside and may be i64 outside. */
static bool has_type(const struct dg_tensor *tensor,
                     const struct dg_xnn_operand *operand)
{
    return tensor->type == operand->type ||
           (tensor->type == DG_TYPE_I64 && operand->type == DG_TYPE_I32);
}

/* Where the call's own tensor is that, if it lies in order; what does not is copied. */
static void find_operand(struct making *making, uint32_t i)
{
    struct dg_inside_value *value = &making->inside->values[i];
    uint32_t slot = operand_of(making, value);
    const struct dg_tensor *tensor;

    if (slot == DG_INSIDE_NONE) {
        making->why = "its graph takes an operand that the call does not pass";
        return;
    }
    tensor = declared(making, slot);
    value->is_turned = !dg_inside_lies_in_order(tensor);
    *(value->is_turned ? &making->outer[i] : &making->slots[i]) = slot;
    value->lies_nhwc = value->is_turned && dg_inside_is_image(tensor);
    if (value->is_turned && tensor->rank > DG_XNN_RANK)
        making->why = "an operand of it has more dimensions than the runtime knows";
    else if (value->is_turned ? tensor->type != value->operand.type
                              : !has_type(tensor, &value->operand))
        making->why = "its graph takes an operand of another type";
}

static bool is_passed(const struct dg_inside_value *value)
{
    return value->flags & (DG_BLOB_INPUT | DG_BLOB_OUTPUT);
}

/* Slots of values. */
static void place_values(struct making *making)
{
    struct dg_inside *inside = making->inside;

    for (uint32_t i = 0; i < inside->n_values && !making->why; i++) {
        if (is_passed(&inside->values[i]))
            find_operand(making, i);
    }
    dg_inside_find_images(inside);
    for (uint32_t i = 0; i < inside->n_values && !making->why; i++) {
        if (!is_passed(&inside->values[i]) || inside->values[i].is_turned)
            making->slots[i] = add_slot(making, &inside->values[i]);
    }
}

static struct dg_operand slot_operand(uint32_t slot)
{
    return (struct dg_operand){.kind = DG_OPERAND_SLOT, .slot = slot};
}

/* A step of the node with room for its operands. */
static struct dg_step *add_empty_step(struct making *making,
                                      const struct dg_inside_node *node)
{
    struct dg_step *step = dg_pte_add_step(making->maker);

    step->node_id = making->call->node_id;
    step->inside_id = node->id;
    step->name =
        dg_format(&schedule_of(making)->memory, "%s/%s", making->call->name, node->name)
            .data;
    step->op = node->op;
    step->handle = node->handle;
    step->shown_only = node->shown_only;
    step->args =
        room(making, (size_t)node->step.node.n_inputs + 1, sizeof(*step->args));
    step->results = room(making, 2, sizeof(*step->results));
    if (!node->step.kernel) {
        dg_step_opaque(step, "no kernel");
        return step;
    }
    step->kind = DG_STEP_CALL;
    step->variant = DG_VARIANT_OUT;
    step->kernel =
        &(node->step.merged ? node->step.merged : &node->step)->kernel->kernel;
    step->xnnpack = &node->step;
    return step;
}

static void add_step(struct making *making, const struct dg_inside_node *node)
{
    struct dg_step *step = add_empty_step(making, node);

    for (int i = 0; i < node->step.node.n_inputs; i++)
        step->args[step->n_args++] = slot_operand(making->slots[node->inputs[i]]);
    for (int i = 0; i < node->step.n_outputs; i++)
        step->results[step->n_results++] = making->slots[node->outputs[i]];
}

/* Copies of operands that lie in another order, into the graph or out of it. */
static void add_turns(struct making *making, unsigned flag)
{
    struct dg_arena *memory = &schedule_of(making)->memory;

    for (uint32_t i = 0; i < making->inside->n_values; i++) {
        const struct dg_inside_value *value = &making->inside->values[i];
        bool enters = flag == DG_BLOB_INPUT;
        struct dg_step *step;

        if (!value->is_turned || !(value->flags & flag))
            continue;
        step = add_empty_step(
            making,
            dg_inside_turn(value, declared(making, making->outer[i]), enters, memory));
        step->args[step->n_args++] =
            slot_operand(enters ? making->outer[i] : making->slots[i]);
        step->results[step->n_results++] = enters ? making->slots[i] : making->outer[i];
        if (!enters) {
            step->releases = room(making, 1, sizeof(*step->releases));
            step->releases[step->n_releases++] = making->slots[i];
        }
    }
}

/* What nobody outside sees goes when it was read last. */
static void find_last(struct making *making)
{
    const struct dg_inside *inside = making->inside;

    for (uint32_t at = 0; at < inside->n_nodes; at++) {
        const struct dg_inside_node *node = &inside->nodes[inside->order[at]];

        for (int k = 0; k < node->step.n_outputs; k++)
            making->last[node->outputs[k]] = at;
        for (int k = 0; k < node->step.node.n_inputs; k++)
            making->last[node->inputs[k]] = at;
    }
}

static bool goes(const struct making *making, uint32_t value, uint32_t at)
{
    const struct dg_inside_value *one = &making->inside->values[value];

    return making->last[value] == at && one->writer != DG_INSIDE_NONE &&
           !(one->flags & DG_BLOB_OUTPUT);
}

static void release(struct making *making, const struct dg_inside_node *node,
                    uint32_t at)
{
    struct dg_schedule *schedule = schedule_of(making);
    struct dg_step *step = &schedule->steps[schedule->n_steps - 1];

    step->releases = room(making, DG_XNN_INPUTS + 2, sizeof(*step->releases));
    for (int k = 0; k < node->step.node.n_inputs; k++) {
        if (goes(making, node->inputs[k], at))
            step->releases[step->n_releases++] = making->slots[node->inputs[k]];
    }
    for (int k = 0; k < node->step.n_outputs; k++) {
        if (goes(making, node->outputs[k], at))
            step->releases[step->n_releases++] = making->slots[node->outputs[k]];
    }
}

static void make_steps(struct making *making)
{
    const struct dg_inside *inside = making->inside;

    find_last(making);
    add_turns(making, DG_BLOB_INPUT);
    for (uint32_t at = 0; at < inside->n_nodes; at++) {
        const struct dg_inside_node *node = &inside->nodes[inside->order[at]];

        add_step(making, node);
        release(making, node, at);
    }
    add_turns(making, DG_BLOB_OUTPUT);
}

enum dg_status dg_inside_steps(const char **why, struct dg_pte_maker *maker,
                               const struct dg_inside_call *call)
{
    struct making making = {.maker = maker, .call = call};
    enum dg_status status = dg_inside_read(&making.inside, maker, call->graph_id);
    size_t n_slots = maker->schedule->n_slots;

    if (status)
        return status;
    making.why = making.inside->why;
    if (maker->n_inside_rows + making.inside->n_values + making.inside->n_nodes >
        INSIDE_MOST)
        making.why = "the graphs of all calls together have too many nodes";
    making.slots =
        dg_alloc(&maker->scratch, making.inside->n_values + 1u, sizeof(uint32_t));
    making.outer =
        dg_alloc(&maker->scratch, making.inside->n_values + 1u, sizeof(uint32_t));
    making.last =
        dg_alloc(&maker->scratch, making.inside->n_values + 1u, sizeof(uint32_t));
    if (!making.why)
        place_values(&making);
    *why = making.why;
    if (!making.why) {
        maker->n_inside_rows += making.inside->n_values + making.inside->n_nodes;
        make_steps(&making);
        return DG_OK;
    }
    while (maker->schedule->n_slots > n_slots)
        dg_arg_drop(&maker->schedule->slots[--maker->schedule->n_slots].initial);
    return DG_OK;
}
