/* Following inputs through a schedule. */
#include "exec/inputs_follow.h"

#include <string.h>

const struct dg_operand *dg_follow_operand(const struct dg_step *step, int i)
{
    return i >= 0 && (size_t)i < step->n_args ? &step->args[i] : NULL;
}

struct dg_origin dg_follow_origin(const struct dg_follow *follow,
                                  const struct dg_operand *operand)
{
    struct dg_origin none = {0}, origin;

    if (!operand || operand->kind == DG_OPERAND_LITERAL)
        return none;
    if (operand->kind == DG_OPERAND_SLOT)
        return follow->origins[operand->slot];
    for (size_t i = 0; i < operand->n_items; i++) {
        if (operand->items[i].kind != DG_OPERAND_SLOT)
            continue;
        origin = follow->origins[operand->items[i].slot];
        if (origin.input)
            return origin;
    }
    return none;
}

bool dg_follow_integer(const struct dg_follow *follow, const struct dg_operand *operand,
                       int64_t *value)
{
    const struct dg_arg *arg = NULL;

    if (operand && operand->kind == DG_OPERAND_LITERAL)
        arg = &operand->literal;
    if (operand && operand->kind == DG_OPERAND_SLOT &&
        follow->schedule->slots[operand->slot].kind == DG_SLOT_CONSTANT)
        arg = &follow->schedule->slots[operand->slot].initial;
    if (!arg || arg->kind != DG_ARG_INT)
        return false;
    *value = arg->as.integer;
    return true;
}

static void set_origin(struct dg_follow *follow, const struct dg_step *step,
                       struct dg_origin origin)
{
    for (size_t i = 0; i < step->n_results; i++)
        follow->origins[step->results[i]] = origin;
}

static void keep(struct dg_follow *follow, const struct dg_step *step,
                 const struct dg_use_rule *rule)
{
    set_origin(follow, step,
               dg_follow_origin(follow, dg_follow_operand(step, rule->index)));
}

static void change(struct dg_follow *follow, const struct dg_step *step,
                   const struct dg_use_rule *rule)
{
    struct dg_origin origin = {0};

    for (size_t i = 0; !origin.input && i < step->n_args; i++)
        origin = dg_follow_origin(follow, &step->args[i]);
    origin.exact = false;
    set_origin(follow, step, origin);
}

static void add(struct dg_follow *follow, const struct dg_step *step,
                const struct dg_use_rule *rule)
{
    struct dg_origin origin = dg_follow_origin(follow, dg_follow_operand(step, 0));
    int64_t number;
    bool exact = step->n_args > 1 &&
                 dg_follow_integer(follow, dg_follow_operand(step, 1), &number) &&
                 !__builtin_mul_overflow(number, rule->self, &number) &&
                 !__builtin_add_overflow(origin.added, number, &origin.added);

    if (!exact) {
        change(follow, step, rule);
        return;
    }
    set_origin(follow, step, origin);
}

static const struct dg_use_rule flows[] = {
#define KEEP(op)                                                                       \
    {                                                                                  \
        op, keep, 0, 0, 0                                                              \
    }
    KEEP("aten::view"),
    KEEP("aten::reshape"),
    KEEP("aten::_unsafe_view"),
    KEEP("aten::expand"),
    KEEP("aten::permute"),
    KEEP("aten::transpose"),
    KEEP("aten::t"),
    KEEP("aten::squeeze"),
    KEEP("aten::unsqueeze"),
    KEEP("aten::flatten"),
    KEEP("aten::unflatten"),
    KEEP("aten::select"),
    KEEP("aten::slice"),
    KEEP("aten::narrow"),
    KEEP("aten::split"),
    KEEP("aten::split_with_sizes"),
    KEEP("aten::chunk"),
    KEEP("aten::unbind"),
    KEEP("aten::repeat"),
    KEEP("aten::clone"),
    KEEP("aten::contiguous"),
    KEEP("aten::alias"),
    KEEP("aten::detach"),
    KEEP("aten::lift_fresh"),
    KEEP("aten::_to_copy"),
    KEEP("aten::to"),
    KEEP("aten::type_as"),
    KEEP("aten::item"),
    KEEP("aten::_local_scalar_dense"),
    KEEP("_operator.getitem"),
    KEEP("executorch_prim::et_view"),
    KEEP("dim_order_ops::_to_dim_order_copy"),
    KEEP("dim_order_ops::_clone_dim_order"),
#undef KEEP
    {"aten::copy", keep, 1, 0, 0},
    {"aten::add", add, 0, 1, 0},
    {"aten::sub", add, 0, -1, 0},
    {"_operator.add", add, 0, 1, 0},
    {"_operator.sub", add, 0, -1, 0},
    {"executorch_prim::add", add, 0, 1, 0},
    {"executorch_prim::sub", add, 0, -1, 0},
    {"aten::mul", change, 0, 0, 0},
    {"aten::rsub", change, 0, 0, 0},
    {"aten::neg", change, 0, 0, 0},
    {"aten::floor_divide", change, 0, 0, 0},
    {"aten::remainder", change, 0, 0, 0},
    {"aten::cumsum", change, 0, 0, 0},
    {"aten::sum", change, 0, 0, 0},
    {"aten::cat", change, 0, 0, 0},
    {"aten::stack", change, 0, 0, 0},
    {"aten::where", change, 0, 0, 0},
    {"aten::masked_fill", change, 0, 0, 0},
    {"_operator.mul", change, 0, 0, 0},
    {"executorch_prim::mul", change, 0, 0, 0},
};

const struct dg_use_rule *dg_find_use_rule(const struct dg_use_rule *table, size_t n,
                                           const char *op)
{
    size_t length = strcspn(op, ":.");

    if (op[length] == ':')
        length += 2 + strcspn(op + length + 2, ".");
    else if (op[length])
        length += 1 + strcspn(op + length + 1, ".");
    for (size_t i = 0; i < n; i++) {
        if (!strncmp(table[i].op, op, length) && !table[i].op[length])
            return &table[i];
    }
    return NULL;
}

void dg_follow_step(struct dg_follow *follow, const struct dg_step *step)
{
    const char *op = step->kernel ? step->kernel->op : step->op;
    const struct dg_use_rule *flow =
        op ? dg_find_use_rule(flows, sizeof(flows) / sizeof(*flows), op) : NULL;

    if (flow)
        flow->apply(follow, step, flow);
    else if (step->kind == DG_STEP_MOVE && step->n_args)
        set_origin(follow, step, dg_follow_origin(follow, &step->args[0]));
    else
        set_origin(follow, step, (struct dg_origin){0});
}
