/* Which integers a program can take: inputs are followed to where they are used as
 * indices, divisors, or in assertions. */
#include "exec/inputs_follow.h"

#include <string.h>

enum { ANY_MOST = 9, UNSURE_MOST = 1, UNSET = -1 };

/* The tensor behind an operand as far as its sizes are known before a run. */
static const struct dg_tensor *shape_of(const struct dg_follow *follow,
                                        const struct dg_operand *operand)
{
    struct dg_origin origin;
    const struct dg_arg *initial;

    if (!operand || operand->kind != DG_OPERAND_SLOT)
        return NULL;
    origin = follow->origins[operand->slot];
    if (origin.input &&
        follow->schedule->inputs[origin.input - 1].slot == operand->slot &&
        follow->values[origin.input - 1].kind == DG_ARG_TENSOR)
        return follow->values[origin.input - 1].as.tensor;
    initial = &follow->schedule->slots[operand->slot].initial;
    return initial->kind == DG_ARG_TENSOR ? initial->as.tensor : NULL;
}

static void at_most(struct dg_follow *follow, struct dg_origin origin, int64_t most)
{
    struct dg_integer_use *use = &follow->uses[origin.input - 1];

    if (origin.exact && __builtin_sub_overflow(most, origin.added, &most))
        return;
    if (!origin.exact && most > UNSURE_MOST)
        most = UNSURE_MOST;
    if (use->most == UNSET || most < use->most)
        use->most = most < 0 ? 0 : most;
}

static void at_least(struct dg_follow *follow, struct dg_origin origin, int64_t least)
{
    struct dg_integer_use *use = &follow->uses[origin.input - 1];

    if (!origin.exact || __builtin_sub_overflow(least, origin.added, &least))
        return;
    if (least > use->least)
        use->least = least;
}

static void index_of(struct dg_follow *follow, struct dg_origin origin,
                     const struct dg_tensor *self, int64_t dim)
{
    if (!origin.input)
        return;
    if (self && dim < 0)
        dim += self->rank;
    at_least(follow, origin, 0);
    at_most(follow, origin,
            self && dim >= 0 && dim < self->rank ? self->sizes[dim] - 1 : UNSURE_MOST);
}

static void index_along(struct dg_follow *follow, const struct dg_step *step,
                        const struct dg_use_rule *rule, struct dg_origin origin)
{
    const struct dg_tensor *self =
        shape_of(follow, dg_follow_operand(step, rule->self));
    int64_t dim = 0;

    if (rule->dim >= 0 &&
        !dg_follow_integer(follow, dg_follow_operand(step, rule->dim), &dim))
        self = NULL;
    index_of(follow, origin, self, dim);
}

static void use_index(struct dg_follow *follow, const struct dg_step *step,
                      const struct dg_use_rule *rule)
{
    index_along(follow, step, rule,
                dg_follow_origin(follow, dg_follow_operand(step, rule->index)));
}

/* A list of indices, one for each dimension. */
static void use_indices(struct dg_follow *follow, const struct dg_step *step,
                        const struct dg_use_rule *rule)
{
    const struct dg_tensor *self =
        shape_of(follow, dg_follow_operand(step, rule->self));
    const struct dg_operand *list = dg_follow_operand(step, rule->index);

    if (list && list->kind == DG_OPERAND_SLOT) {
        index_of(follow, dg_follow_origin(follow, list), NULL, 0);
        return;
    }
    for (size_t i = 0; list && i < list->n_items; i++)
        index_of(follow, dg_follow_origin(follow, &list->items[i]), self, (int64_t)i);
}

/* The beginning of a stretch of known length. */
static void use_start(struct dg_follow *follow, const struct dg_step *step,
                      const struct dg_use_rule *rule)
{
    struct dg_origin origin =
        dg_follow_origin(follow, dg_follow_operand(step, rule->index));
    int64_t length;

    if (!dg_follow_integer(follow, dg_follow_operand(step, rule->index + 1), &length))
        origin.exact = false;
    else if (origin.input && !__builtin_add_overflow(origin.added, length - 1, &length))
        origin.added = length;
    index_along(follow, step, rule, origin);
}

/* A class out of as many as another argument says. */
static void use_class(struct dg_follow *follow, const struct dg_step *step,
                      const struct dg_use_rule *rule)
{
    struct dg_origin origin =
        dg_follow_origin(follow, dg_follow_operand(step, rule->index));
    int64_t n_classes;

    if (origin.input &&
        dg_follow_integer(follow, dg_follow_operand(step, rule->self), &n_classes) &&
        n_classes > 0)
        at_most(follow, origin, n_classes - 1);
}

/* A class out of as many as the scores have columns. */
static void use_target(struct dg_follow *follow, const struct dg_step *step,
                       const struct dg_use_rule *rule)
{
    const struct dg_tensor *scores =
        shape_of(follow, dg_follow_operand(step, rule->self));

    index_of(follow, dg_follow_origin(follow, dg_follow_operand(step, rule->index)),
             scores, scores && scores->rank > 1);
}

static void use_divisor(struct dg_follow *follow, const struct dg_step *step,
                        const struct dg_use_rule *rule)
{
    struct dg_origin origin =
        dg_follow_origin(follow, dg_follow_operand(step, rule->index));

    if (origin.input)
        at_least(follow, origin, 1);
}

/* Comparisons with numbers are assertions, mostly: make them hold. */
static void use_bound(struct dg_follow *follow, const struct dg_step *step,
                      const struct dg_use_rule *rule)
{
    struct dg_origin origin = dg_follow_origin(follow, dg_follow_operand(step, 0));
    int64_t bound;

    if (!origin.input || !dg_follow_integer(follow, dg_follow_operand(step, 1), &bound))
        return;
    if (rule->self)
        at_most(follow, origin, bound);
    else
        at_least(follow, origin, bound);
}

static void use_range(struct dg_follow *follow, const struct dg_step *step,
                      const struct dg_use_rule *rule)
{
    struct dg_origin origin =
        dg_follow_origin(follow, dg_follow_operand(step, rule->index));
    int64_t bound;

    if (!origin.input)
        return;
    if (dg_follow_integer(follow, dg_follow_operand(step, 1), &bound))
        at_least(follow, origin, bound);
    if (dg_follow_integer(follow, dg_follow_operand(step, 2), &bound))
        at_most(follow, origin, bound);
}

static const struct dg_use_rule rules[] = {
    {"aten::embedding", use_index, 1, 0, -1},
    {"aten::embedding_bag", use_index, 1, 0, -1},
    {"aten::_embedding_bag", use_index, 1, 0, -1},
    {"aten::_embedding_bag_forward_only", use_index, 1, 0, -1},
    {"aten::gather", use_index, 2, 0, 1},
    {"aten::index_select", use_index, 2, 0, 1},
    {"aten::index_add", use_index, 2, 0, 1},
    {"aten::index_copy", use_index, 2, 0, 1},
    {"aten::index_fill", use_index, 2, 0, 1},
    {"aten::scatter", use_index, 2, 0, 1},
    {"aten::scatter_add", use_index, 2, 0, 1},
    {"aten::scatter_reduce", use_index, 2, 0, 1},
    {"aten::select", use_index, 2, 0, 1},
    {"aten::select_scatter", use_index, 3, 0, 2},
    {"aten::take_along_dim", use_index, 1, 0, 2},
    {"aten::index", use_indices, 1, 0, 0},
    {"aten::_unsafe_index", use_indices, 1, 0, 0},
    {"aten::index_put", use_indices, 1, 0, 0},
    {"aten::_unsafe_index_put", use_indices, 1, 0, 0},
    {"aten::narrow", use_start, 2, 0, 1},
    {"aten::one_hot", use_class, 0, 1, 0},
    {"aten::nll_loss", use_target, 1, 0, 0},
    {"aten::nll_loss_forward", use_target, 1, 0, 0},
    {"aten::nll_loss_nd", use_target, 1, 0, 0},
    {"aten::cross_entropy_loss", use_target, 1, 0, 0},
    {"aten::floor_divide", use_divisor, 1, 0, 0},
    {"aten::remainder", use_divisor, 1, 0, 0},
    {"aten::fmod", use_divisor, 1, 0, 0},
    {"aten::div", use_divisor, 1, 0, 0},
    {"_operator.floordiv", use_divisor, 1, 0, 0},
    {"_operator.mod", use_divisor, 1, 0, 0},
    {"_operator.ge", use_bound, 0, 0, 0},
    {"_operator.le", use_bound, 0, 1, 0},
    {"executorch_prim::ge", use_bound, 0, 0, 0},
    {"executorch_prim::le", use_bound, 0, 1, 0},
    {"aten::sym_constrain_range", use_range, 0, 0, 0},
    {"aten::sym_constrain_range_for_size", use_range, 0, 0, 0},
};

static void note_uses(struct dg_follow *follow, const struct dg_step *step)
{
    const char *op = step->kernel ? step->kernel->op : step->op;
    const struct dg_use_rule *use =
        op ? dg_find_use_rule(rules, sizeof(rules) / sizeof(*rules), op) : NULL;

    if (use)
        use->apply(follow, step, use);
}

static int64_t largest(const struct dg_arg *value)
{
    size_t bytes =
        value->kind == DG_ARG_TENSOR ? dg_type_bytes(value->as.tensor->type) : 8;

    return INT64_MAX >> (64 - 8 * bytes);
}

static struct dg_integer_use final(struct dg_integer_use use, const char *name,
                                   const struct dg_arg *value)
{
    if (use.most == UNSET)
        use.most = name && strstr(name, "mask") ? UNSURE_MOST : ANY_MOST;
    if (use.most > largest(value))
        use.most = largest(value);
    if (use.most < use.least)
        use.most = use.least;
    use.integer = true;
    return use;
}

struct dg_integer_use *dg_integer_uses(const struct dg_schedule *schedule,
                                       const struct dg_arg *values,
                                       struct dg_arena *memory)
{
    struct dg_follow follow = {schedule, values};

    follow.origins = dg_alloc(memory, schedule->n_slots, sizeof(*follow.origins));
    follow.uses = dg_alloc(memory, schedule->n_inputs, sizeof(*follow.uses));
    for (size_t i = 0; i < schedule->n_inputs; i++) {
        follow.uses[i].most = UNSET;
        if (schedule->inputs[i].slot != DG_IO_LITERAL)
            follow.origins[schedule->inputs[i].slot] =
                (struct dg_origin){(uint32_t)i + 1, true, 0};
    }
    for (size_t i = 0; i < schedule->n_steps; i++) {
        note_uses(&follow, &schedule->steps[i]);
        dg_follow_step(&follow, &schedule->steps[i]);
    }
    for (size_t i = 0; i < schedule->n_inputs; i++)
        follow.uses[i] = final(follow.uses[i], schedule->inputs[i].name, &values[i]);
    return follow.uses;
}
