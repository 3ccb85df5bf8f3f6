/* Operands of kernel calls as arguments of kernels: matched by name. */
#include "base/dtype.h"
#include "exec/schedule_fx.h"
#include "exec/schedule_pte.h"

enum { BY_DEFAULT = -1, BY_OUT_TYPE = -2 };

static bool same_name(const struct dg_op_arg *a, const struct dg_op_arg *b)
{
    return a->name_length == b->name_length &&
           !memcmp(a->name, b->name, a->name_length);
}

/* Which operand has the argument's name. */
static int operand_named(const struct dg_op *schema, const struct dg_op_arg *wanted)
{
    struct dg_op_arg arg = {0};
    const char *cursor = schema->args;

    for (int i = 0; dg_op_next_arg(&cursor, &arg); i++) {
        if (!arg.is_out && same_name(&arg, wanted))
            return i;
    }
    return BY_DEFAULT;
}

static bool begins(const char *text, const char *start)
{
    return !strncmp(text, start, strlen(start));
}

static void match(struct dg_pte_maker *maker, const struct dg_pte_op *op,
                  const struct dg_op_arg *wanted, struct dg_pte_arg *arg)
{
    bool is_dtype = begins(wanted->type, "ScalarType");

    arg->operand = operand_named(op->schema, wanted);
    if (is_dtype)
        arg->as = DG_PTE_TYPE;
    else if (begins(wanted->type, "MemoryFormat") || begins(wanted->type, "Layout") ||
             begins(wanted->type, "Device"))
        arg->as = DG_PTE_UNUSED;
    else if (begins(wanted->type, "float"))
        arg->as = DG_PTE_REAL;
    if (arg->operand >= 0)
        return;
    /* Without it, an out tensor of another type than the inputs says what is meant. */
    if (is_dtype && op->n_outs)
        arg->operand = BY_OUT_TYPE;
    else
        arg->otherwise = dg_fx_default_operand(wanted, &maker->schedule->memory);
}

static size_t count_outs(const struct dg_op *schema)
{
    struct dg_op_arg arg = {0};
    const char *cursor = schema->args;
    size_t n = 0;

    while (dg_op_next_arg(&cursor, &arg))
        n += arg.is_out;
    return n;
}

static void match_all(struct dg_pte_maker *maker, struct dg_pte_op *op)
{
    const char *kernel = op->resolved.kernel->op;
    const struct dg_op *schema = dg_op_find(kernel, strlen(kernel));
    struct dg_op_arg wanted = {0};
    const char *cursor;

    schema = schema ? schema : op->schema;
    cursor = schema->args;
    op->n_args = dg_op_n_args(schema);
    op->args = dg_alloc(&maker->scratch, op->n_args, sizeof(*op->args));
    for (size_t i = 0; i < op->n_args && dg_op_next_arg(&cursor, &wanted); i++)
        match(maker, op, &wanted, &op->args[i]);
}

const struct dg_pte_op *dg_pte_schedule_op(struct dg_pte_maker *maker, int64_t op_id,
                                           const char *name)
{
    struct dg_pte_op *op = &maker->ops[op_id];

    if (op->name)
        return op;
    op->name = dg_copy(&maker->schedule->memory, dg_text(name));
    op->schema = dg_op_find(name, strlen(name));
    if (!op->schema)
        return op;
    op->resolved = dg_resolve(name);
    op->n_outs = count_outs(op->schema);
    op->n_inputs = dg_op_n_args(op->schema) - op->n_outs;
    if (op->resolved.kernel)
        match_all(maker, op);
    return op;
}
