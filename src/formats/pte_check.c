/* What is missing or too much in a method of a .pte, and no row shows. */
#include <stdlib.h>
#include <string.h>

#include "base/dtype.h"
#include "formats/pte_plan.h"

enum { MAX_SHOWN = 100 };

#define BIT(type) (1u << VALUE_##type)

enum { NUMBER = BIT(INT) | BIT(BOOL) | BIT(DOUBLE) };

/* What the runtime unboxes an argument from; nothing is converted. */
static const struct {
    const char *type;
    uint16_t one, list;
} kinds_of_types[] = {
    {"Tensor", BIT(TENSOR), BIT(TENSOR_LIST)},
    {"int", BIT(INT), BIT(INT_LIST)},
    {"SymInt", BIT(INT), BIT(INT_LIST)},
    {"float", BIT(DOUBLE), BIT(DOUBLE_LIST)},
    {"bool", BIT(BOOL), BIT(BOOL_LIST)},
    {"str", BIT(STRING), 0},
    {"Scalar", NUMBER, 0},
    {"ScalarType", BIT(INT), 0},
    {"MemoryFormat", BIT(INT), 0},
    {"Layout", BIT(INT), 0},
    {"Device", BIT(INT), 0},
};

void dg_pte_check_chain(const struct dg_pte_plan *plan,
                        struct dg_flatbuffer_table chain, size_t index)
{
    struct dg_program *program = plan->pte->program;

    if (!dg_table_has(chain, CHAIN_INSTRUCTIONS))
        dg_pte_remark_on_plan(plan, dg_remark(program, "plan/fields",
                                              "chain %zu has no instructions", index));
    if (index == 1)
        dg_pte_remark_on_plan(plan,
                              dg_remark(program, "control-flow/single-chain",
                                        "the method has %zu chains",
                                        dg_table_vector(plan->table, PLAN_CHAINS).n));
}

static void remark_on_call(const struct dg_pte_plan *plan,
                           const struct dg_pte_call *call, struct dg_remark_row *remark)
{
    dg_pte_remark_on_plan(plan, remark);
    remark->node = call->node;
}

uint16_t dg_pte_kinds_of(const char *type)
{
    size_t n = strcspn(type, "?[");
    const char *list = strchr(type, '[');
    unsigned kinds = 0;

    for (size_t i = 0; i < sizeof(kinds_of_types) / sizeof(*kinds_of_types); i++) {
        if (!strncmp(kinds_of_types[i].type, type, n) && !kinds_of_types[i].type[n])
            kinds = list ? kinds_of_types[i].list : kinds_of_types[i].one;
    }
    if (list && type[n] == '?')
        kinds = kinds == BIT(TENSOR_LIST) ? BIT(OPTIONAL_TENSOR_LIST) : 0;
    else if (kinds && type[strlen(type) - 1] == '?')
        kinds |= BIT(NULL);
    return (uint16_t)(kinds ? kinds : UINT16_MAX);
}

/* Whether an operand is of a kind that its argument takes. Who writes a number may
 * change its kind, and a handle is what was moved there. */
static bool is_taken(const struct dg_pte_slot *slot, unsigned kinds)
{
    if (!slot || !slot->type || slot->moved)
        return true;
    if (slot->writer != DG_NONE && kinds & (NUMBER | BIT(NULL)))
        kinds |= NUMBER | BIT(NULL);
    return (kinds & 1u << slot->type) != 0;
}

static void remark_on_kind(struct dg_pte_plan *plan, const struct dg_pte_call *call,
                           const struct dg_pte_operator *op, size_t at)
{
    const char *cursor = op->schema->args;
    const char *kind = dg_pte_value(plan, call->args[at])->kind;
    struct dg_program *program = plan->pte->program;
    struct dg_remark_row *remark;
    struct dg_op_arg arg = {0};

    for (size_t i = 0; i <= at; i++)
        dg_op_next_arg(&cursor, &arg);
    if (at < dg_op_n_args(op->schema))
        remark = dg_remark(program, "plan/op-arg-kind",
                           "argument %zu of %.*s, %.*s, is value %d, of kind %s; it "
                           "takes %s",
                           at, (int)op->name.size, op->name.data, (int)arg.name_length,
                           arg.name, call->args[at], kind, arg.type);
    else
        remark = dg_remark(program, "plan/op-arg-kind",
                           "the result of %.*s is value %d, of kind %s; it gives a %s",
                           (int)op->name.size, op->name.data, call->args[at], kind,
                           op->takes[at] & NUMBER ? "number" : "tensor");
    remark_on_call(plan, call, remark);
}

/* What operand `i` may be behind the call: arithmetic gives no bools. */
static uint16_t result_kinds(const struct dg_pte_operator *op, size_t i)
{
    const char *cursor = op->schema->returns;
    struct dg_op_arg result = {0};

    if (i < dg_op_n_args(op->schema))
        return op->takes[i];
    for (size_t k = dg_op_n_args(op->schema); k <= i; k++)
        dg_op_next_arg(&cursor, &result);
    return !strcmp(result.type, "Scalar") &&
                   dg_text_begins(op->name, "executorch_prim::") &&
                   !dg_text_begins(op->name, "executorch_prim::sym_")
               ? NUMBER & (uint16_t)~BIT(BOOL)
               : dg_pte_kinds_of(result.type);
}

static void note_uses(const struct dg_pte_plan *plan, const struct dg_pte_call *call,
                      const struct dg_pte_operator *op)
{
    for (size_t i = 0; i < op->n_access && i < call->n; i++) {
        struct dg_pte_slot *slot = dg_pte_slot(plan, call->args[i]);

        if (slot && call->access[i] & DG_PTE_READ)
            slot->refused |= (uint16_t)~op->takes[i];
        if (slot && call->access[i] & DG_PTE_WRITE)
            slot->made |= result_kinds(op, i);
    }
}

static void check_kinds(struct dg_pte_plan *plan, const struct dg_pte_call *call,
                        const struct dg_pte_operator *op)
{
    note_uses(plan, call, op);
    for (size_t i = 0; i < op->n_access && i < call->n; i++) {
        if (!is_taken(dg_pte_slot(plan, call->args[i]), op->takes[i])) {
            remark_on_kind(plan, call, op, i);
            break;
        }
    }
}

static void check_operands(struct dg_pte_plan *plan, const struct dg_pte_call *call,
                           bool listed)
{
    struct dg_pte_operator *op;

    if (call->index < 0 || (size_t)call->index >= plan->n_operators)
        return;
    op = &plan->operators[call->index];
    op->called = true;
    if (listed && op->n_operands && op->n_operands != call->n)
        remark_on_call(
            plan, call,
            dg_remark(plan->pte->program, "plan/op-arity",
                      "%.*s has %zu operands; it takes %zu, its result included",
                      (int)op->name.size, op->name.data, call->n, op->n_operands));
    else if (listed && op->takes)
        check_kinds(plan, call, op);
}

/* The remark that operand `i` is none that the payload takes; NULL: it is one. What is
 * written as 32 bits is widened where the result has 64: convert_outputs() of the
 * runtime. */
static struct dg_remark_row *check_payload_operand(struct dg_pte_plan *plan,
                                                   const struct dg_pte_call *call,
                                                   size_t i,
                                                   struct dg_blob_operand operand)
{
    struct dg_program *program = plan->pte->program;
    const struct dg_pte_slot *slot = dg_pte_slot(plan, call->args[i]);
    const struct dg_value_row *value;
    const struct dg_dtype *dtype;

    if (!slot || !slot->type || slot->moved)
        return NULL;
    value = dg_pte_value(plan, call->args[i]);
    if (slot->type != VALUE_TENSOR)
        return dg_remark(program, "delegate/io-operands",
                         "operand %zu is value %d of the plan, of kind %s; delegate %d"
                         " takes a tensor",
                         i, call->args[i], value->kind, call->index);
    dtype = value->type->dtype ? dg_dtype_of_name(dg_text(value->type->dtype)) : NULL;
    if (!operand.bytes || !dtype || dtype->bytes == operand.bytes ||
        (operand.gives && operand.bytes == 4 && !strcmp(dtype->name, "i64")))
        return NULL;
    return dg_remark(
        program, "delegate/io-operands",
        "operand %zu is value %d of the plan, of type %s; the blob of delegate %d has"
        " %d bytes for an element of it",
        i, call->args[i], value->type->dtype, call->index, operand.bytes);
}

static void check_delegate_call(struct dg_pte_plan *plan,
                                const struct dg_pte_call *call)
{
    struct dg_blob_call payload = dg_pte_payload(plan, call);
    struct dg_remark_row *remark = NULL;

    if (payload.n && call->n != payload.n)
        remark = dg_remark(plan->pte->program, "delegate/io-operands",
                           "delegate %d takes and gives %zu tensors; the call has "
                           "%zu operands",
                           call->index, payload.n, call->n);
    for (size_t i = 0; i < payload.n && !remark; i++)
        remark = check_payload_operand(plan, call, i, payload.operands[i]);
    if (remark)
        remark_on_call(plan, call, remark);
}

static void remark_on_move(struct dg_pte_plan *plan, const struct dg_pte_move *move)
{
    struct dg_remark_row *remark =
        dg_remark(plan->pte->program, "value/move-kind",
                  "moves value %d, of kind %s, to value %d, of kind %s", move->from,
                  dg_pte_value(plan, move->from)->kind, move->to,
                  dg_pte_value(plan, move->to)->kind);

    dg_pte_remark_on_plan(plan, remark);
    remark->node = move->node;
}

static bool is_number(const struct dg_pte_slot *slot)
{
    return (NUMBER & 1u << slot->type) != 0;
}

/* A place for a tensor is moved into from another one: whoever reads it next asks for
 * what the value says that it is. Of numbers it hangs on who reads them. */
static void check_move(struct dg_pte_plan *plan, const struct dg_pte_call *call)
{
    const struct dg_pte_slot *from = dg_pte_slot(plan, call->args[0]);
    const struct dg_pte_slot *to = dg_pte_slot(plan, call->args[1]);
    struct dg_pte_move move = {call->node, call->args[0], call->args[1]};

    if (!from || !to || from->moved || !from->type || !to->type)
        return;
    if ((from->type == VALUE_TENSOR) != (to->type == VALUE_TENSOR))
        remark_on_move(plan, &move);
    else if (is_number(from) && is_number(to) && from->type != to->type)
        *DG_APPEND(plan->moves, plan->n_moves) = move;
}

void dg_pte_check_moves(struct dg_pte_plan *plan)
{
    for (size_t i = 0; i < plan->n_moves; i++) {
        const struct dg_pte_slot *from = dg_pte_slot(plan, plan->moves[i].from);
        const struct dg_pte_slot *to = dg_pte_slot(plan, plan->moves[i].to);
        unsigned kinds = from->made | 1u << from->type;

        if (!to->made && !(kinds & ~(unsigned)to->refused))
            remark_on_move(plan, &plan->moves[i]);
    }
    free(plan->moves);
    plan->moves = NULL;
    plan->n_moves = 0;
}

void dg_pte_check_call(struct dg_pte_plan *plan, const struct dg_pte_call *call,
                       struct dg_flatbuffer_table instruction)
{
    struct dg_flatbuffer_table content = dg_table_union(instruction, INSTRUCTION_ARGS);
    bool listed = dg_table_has(content, CALL_ARGS);

    if (call->type == KERNEL_CALL)
        check_operands(plan, call, listed);
    if (call->type == DELEGATE_CALL && listed)
        check_delegate_call(plan, call);
    if (call->type == MOVE_CALL)
        check_move(plan, call);
    if ((call->type == KERNEL_CALL || call->type == DELEGATE_CALL) && !listed)
        remark_on_call(
            plan, call,
            dg_remark(plan->pte->program, "plan/instruction-kind",
                      "instruction %lld is a call without a list of operands",
                      (long long)call->time));
}

void dg_pte_check_operators(const struct dg_pte_plan *plan)
{
    for (size_t i = 0; i < plan->n_operators; i++) {
        struct dg_text name = plan->operators[i].name;

        if (!plan->operators[i].called)
            dg_pte_remark_on_plan(
                plan, dg_remark(plan->pte->program, "plan/op-unused",
                                "no instruction calls operator %zu, \"%.*s\"", i,
                                name.size > MAX_SHOWN ? MAX_SHOWN : (int)name.size,
                                name.size ? name.data : ""));
    }
}
