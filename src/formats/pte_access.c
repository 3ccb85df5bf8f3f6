/* Which operands an instruction of a .pte reads and which it writes: by the operator's
 * schema, by the shape of the call, or by what was written before. */
#include <string.h>

#include "formats/pte_plan.h"

enum { READ = DG_PTE_READ, WRITE = DG_PTE_WRITE };

/* register_prim_ops.cpp */
static bool is_of_runtime(const struct dg_op *schema)
{
    static const char prefix[] = "executorch_prim::";
    static const char *const others[] = {"aten::sym_size.int", "aten::sym_numel",
                                         "aten::_local_scalar_dense"};

    for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
        if (!strcmp(schema->name, others[i]))
            return true;
    }
    return !strncmp(schema->name, prefix, sizeof(prefix) - 1);
}

/* All that a call returns goes into one operand, but what the runtime computes itself
 * may return nothing. */
static size_t count_operands(const struct dg_op *schema)
{
    if (schema->flags & (DG_OP_MORE_ARGS | DG_OP_MORE_RETURNS))
        return 0;
    if (is_of_runtime(schema))
        return dg_op_n_args(schema) + dg_op_n_returns(schema);
    return dg_op_n_args(schema) + 1;
}

/* What the runtime computes itself writes into a tensor that is there, and makes a
 * number of one that was. */
static void learn_returns(struct dg_pte_operator *op)
{
    const char *cursor = op->schema->returns;
    struct dg_op_arg result = {0};

    for (size_t i = dg_op_n_args(op->schema);
         i < op->n_access && dg_op_next_arg(&cursor, &result); i++) {
        op->access[i] = WRITE;
        op->takes[i] =
            dg_pte_kinds_of(!strcmp(result.type, "Tensor") ? "Tensor" : "Scalar?");
    }
}

static void learn_schema(struct dg_pte_plan *plan, struct dg_pte_operator *op)
{
    const char *cursor = op->schema->args;
    struct dg_op_arg arg = {0};

    op->n_access = dg_op_n_args(op->schema);
    if (is_of_runtime(op->schema))
        op->n_access += dg_op_n_returns(op->schema);
    op->n_operands = count_operands(op->schema);
    op->access = dg_alloc(&plan->scratch, op->n_access, 1);
    op->takes = dg_alloc(&plan->scratch, op->n_access, sizeof(*op->takes));
    for (size_t i = 0; i < op->n_access && dg_op_next_arg(&cursor, &arg); i++) {
        op->access[i] = !arg.writes ? READ : arg.is_out ? WRITE : READ | WRITE;
        op->takes[i] = dg_pte_kinds_of(arg.type);
    }
    learn_returns(op);
}

/* Behind what the schema names follow the values returned. Where there are out
 * arguments these are what is returned, and the runtime passes the values by: another
 * tensor there gets nothing, though what reads it takes it for the result. */
static uint8_t access_of_returned(const struct dg_pte_plan *plan,
                                  const struct dg_pte_operator *op,
                                  const struct dg_pte_call *call, size_t index)
{
    const struct dg_pte_slot *slot = dg_pte_slot(plan, call->args[index]);
    bool has_out = false;

    for (size_t i = 0; i < op->n_access; i++) {
        if (call->args[i] == call->args[index] && call->access[i] & WRITE)
            return WRITE;
        has_out |= call->access[i] == WRITE;
    }
    return has_out && slot && slot->type == VALUE_TENSOR && !is_of_runtime(op->schema)
               ? READ
               : WRITE;
}

static void access_by_schema(struct dg_pte_plan *plan, struct dg_pte_operator *op,
                             struct dg_pte_call *call)
{
    if (!op->access)
        learn_schema(plan, op);
    for (size_t i = 0; i < call->n; i++)
        call->access[i] =
            i < op->n_access ? op->access[i] : access_of_returned(plan, op, call, i);
}

static bool is_tensor_list(const struct dg_pte_slot *slot)
{
    return slot && slot->type == VALUE_TENSOR_LIST;
}

static bool same_items(const struct dg_pte_plan *plan, struct dg_vector a,
                       struct dg_vector b)
{
    if (a.n != b.n || !a.n || a.at == b.at)
        return a.n == b.n;
    return dg_pte_expand(plan->pte, a) && !memcmp(a.at, b.at, 4 * a.n);
}

static bool lists_the_operands(const struct dg_pte_call *call, size_t first,
                               struct dg_vector items)
{
    for (size_t i = 0; i < items.n; i++) {
        if ((int32_t)dg_u32(items.at + 4 * i) != call->args[first + i])
            return false;
    }
    return true;
}

/* A list that is returned repeats the list before it, or gathers the outputs. */
static void access_of_list(const struct dg_pte_plan *plan, struct dg_pte_call *call)
{
    size_t last = call->n - 1;
    struct dg_vector items = dg_pte_slot(plan, call->args[last])->items;
    const struct dg_pte_slot *before =
        last ? dg_pte_slot(plan, call->args[last - 1]) : NULL;

    if (is_tensor_list(before) && same_items(plan, before->items, items))
        call->access[last - 1] = WRITE;
    else if (items.n <= last && lists_the_operands(call, last - items.n, items))
        memset(call->access + last - items.n, WRITE, items.n);
}

/* Without a schema: a result that repeats an operand shows which one was written. */
static void access_by_shape(const struct dg_pte_plan *plan,
                            const struct dg_pte_operator *op, struct dg_pte_call *call)
{
    size_t last = call->n - 1;
    const struct dg_pte_slot *result = dg_pte_slot(plan, call->args[last]);
    bool in_place = op && op->name.size && op->name.data[op->name.size - 1] == '_';
    bool repeated = false;

    memset(call->access, READ, call->n);
    if (is_tensor_list(result))
        access_of_list(plan, call);
    for (size_t i = last; i-- > 0 && !repeated;) {
        repeated = call->args[i] == call->args[last];
        if (repeated)
            call->access[i] = i + 1 == last && !in_place ? WRITE : READ | WRITE;
    }
    if (!result || result->type == VALUE_NULL ||
        (!repeated && result->type == VALUE_TENSOR &&
         (result->initial || result->writer != DG_NONE)))
        return; /* nothing is returned */
    call->access[last] = WRITE;
}

/* The emitter numbers the results of a delegate one after the other, just before it
 * emits the call: whether everything from `first` on can be such results. */
static bool may_be_results(const struct dg_pte_call *call, size_t first)
{
    for (size_t i = first; i + 1 < call->n; i++) {
        if (call->args[i + 1] != (int64_t)call->args[i] + 1)
            return false;
    }
    return true;
}

/* A value of its own number that lies on bytes written under another: a view that needs
 * no instruction, unless the bytes were free again. The last operand is a result. */
static bool is_view(const struct dg_pte_plan *plan, const struct dg_pte_call *call,
                    size_t index)
{
    const struct dg_pte_slot *slot = dg_pte_slot(plan, call->args[index]), *base;
    const struct dg_pte_place *place;

    if (slot->place == DG_NONE || index + 1 == call->n)
        return false;
    place = &plan->places[slot->place];
    if (place->writer == DG_NONE ||
        place->nbytes != dg_pte_value(plan, call->args[index])->type->nbytes)
        return false;
    base = &plan->slots[place->value];
    return base->last_use >= call->time || base->output || !place->read_since;
}

static bool is_input(const struct dg_pte_plan *plan, const struct dg_pte_call *call,
                     size_t index, size_t n_certain)
{
    const struct dg_pte_slot *slot = dg_pte_slot(plan, call->args[index]);

    if (!slot || slot->initial || slot->writer != DG_NONE)
        return true;
    if (slot->type != VALUE_TENSOR)
        return !may_be_results(call, index);
    /* A buffer without initial state: it is written back later. */
    if (slot->updated && (slot->copied || index < n_certain))
        return true;
    return is_view(plan, call, index);
}

/* Operands up to the last one that was written earlier and is not repeated: no fresh
 * result stands before it. */
static size_t count_certain_inputs(const struct dg_pte_plan *plan,
                                   const struct dg_pte_call *call)
{
    size_t n = 0;

    for (size_t i = 0; i < call->n; i++) {
        struct dg_pte_slot *slot = dg_pte_slot(plan, call->args[i]);

        if (!slot || slot->seen == call->time)
            continue;
        slot->seen = call->time;
        if (slot->initial || slot->writer != DG_NONE)
            n = i;
    }
    return n;
}

static void guess_access(const struct dg_pte_plan *plan, struct dg_pte_call *call)
{
    size_t n_certain = count_certain_inputs(plan, call), n = 0;

    while (n < call->n && is_input(plan, call, n, n_certain))
        n++;
    memset(call->access, READ, n);
    memset(call->access + n, WRITE, call->n - n);
}

/* A blob that is read says it; of what it does not speak nobody knows more than the
 * plan. */
static void access_of_delegate(const struct dg_pte_plan *plan, struct dg_pte_call *call)
{
    struct dg_blob_call payload = dg_pte_payload(plan, call);

    guess_access(plan, call);
    for (size_t i = 0; i < payload.n && i < call->n; i++) {
        if (payload.operands[i].known)
            call->access[i] = payload.operands[i].gives ? WRITE : READ;
    }
}

static void access_of_kernel(struct dg_pte_plan *plan, struct dg_pte_call *call)
{
    struct dg_pte_operator *op = NULL;

    if (call->index >= 0 && (size_t)call->index < plan->n_operators)
        op = &plan->operators[call->index];
    if (op && op->schema)
        access_by_schema(plan, op, call);
    else if (call->n)
        access_by_shape(plan, op, call);
}

void dg_pte_find_access(struct dg_pte_plan *plan, struct dg_pte_call *call)
{
    switch (call->type) {
    case KERNEL_CALL:
        access_of_kernel(plan, call);
        break;
    case DELEGATE_CALL:
        if (call->n)
            access_of_delegate(plan, call);
        break;
    case MOVE_CALL:
        call->access[0] = READ;
        call->access[1] = WRITE;
        break;
    default:
        memset(call->access, READ, call->n);
    }
}

struct dg_blob_call dg_pte_payload(const struct dg_pte_plan *plan,
                                   const struct dg_pte_call *call)
{
    if (call->type != DELEGATE_CALL || call->index < 0 ||
        (size_t)call->index >= plan->n_delegates)
        return (struct dg_blob_call){0};
    return dg_blobs_call(&plan->pte->blobs, plan->first_delegate + call->index);
}
