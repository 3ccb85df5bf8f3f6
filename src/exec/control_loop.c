/* Loops: while_loop, and those over the first dimension of tensors, which are scan, map
 * and associative scan. */
#include <string.h>

#include "exec/control_parts.h"
#include "kernels/cpu/walk.h"

/* Item `i` of each tensor of a list along its first dimension. */
static void push_items(struct dg_values *values, const struct dg_arg *list, int64_t i)
{
    for (size_t k = 0; k < list->as.list.n_items; k++) {
        const struct dg_tensor *all = list->as.list.items[k].as.tensor;
        struct dg_arg item = {DG_ARG_TENSOR,
                              {.tensor = dg_tensor_view(
                                   all, all->rank - 1, all->sizes + 1, all->strides + 1,
                                   all->offset + i * all->strides[0])}};

        *DG_APPEND(values->items, values->n) = item;
    }
}

static enum dg_status length_of(struct dg_control *control, const struct dg_arg *xs,
                                int64_t *length)
{
    *length = -1;
    for (size_t i = 0; xs->kind == DG_ARG_LIST && i < xs->as.list.n_items; i++) {
        const struct dg_arg *x = &xs->as.list.items[i];
        int64_t own;

        if (x->kind != DG_ARG_TENSOR || x->as.tensor->rank < 1)
            return dg_fail(control->err, DG_ERR_FORMAT,
                           "what is looped over has no dimension");
        own = x->as.tensor->sizes[0];
        if (*length >= 0 && own != *length)
            return dg_fail(control->err, DG_ERR_FORMAT,
                           "looped over together: %lld and %lld items",
                           (long long)*length, (long long)own);
        *length = own;
    }
    if (*length > 0)
        return DG_OK;
    return dg_fail(control->err, DG_ERR_DEVICE, "a loop over nothing");
}

enum dg_status dg_stack(struct dg_machine *machine, struct dg_tensor **all,
                        struct dg_tensor *item, int64_t i, int64_t length,
                        struct dg_error *err)
{
    int64_t sizes[DG_RANK_MOST + 1] = {length};
    struct dg_tensor *place;
    enum dg_status status;

    memcpy(sizes + 1, item->sizes, (size_t)item->rank * sizeof(*sizes));
    if (!*all)
        *all = dg_tensor_new(machine->context.memory, item->type, item->rank + 1, sizes,
                             err);
    if (!*all)
        return err->status;
    place = dg_tensor_view(*all, (*all)->rank - 1, (*all)->sizes + 1,
                           (*all)->strides + 1, i * (*all)->strides[0]);
    status =
        dg_tensor_same_shape(place, item)
            ? dg_copy_into(machine, place, item, err)
            : dg_fail(err, DG_ERR_FORMAT, "a loop whose turns give different shapes");
    dg_tensor_drop(place);
    return status;
}

/* What the turns of a loop gave, one behind the other in a new first dimension. */
struct stacked {
    struct dg_tensor *all;
    struct dg_arg unknown;
};

static enum dg_status stack(struct dg_control *control, struct stacked *stacked,
                            const struct dg_arg *value, int64_t i, int64_t length)
{
    if (value->kind == DG_ARG_UNKNOWN)
        stacked->unknown = *value;
    if (value->kind == DG_ARG_TENSOR)
        return dg_stack(control->machine, &stacked->all, value->as.tensor, i, length,
                        control->err);
    return stacked->unknown.kind
               ? DG_OK
               : dg_fail(control->err, DG_ERR_DEVICE, "a loop that gives numbers");
}

static enum dg_status push_stacked(struct dg_control *control, struct stacked *stacked,
                                   struct dg_values *results)
{
    struct dg_arg value = stacked->unknown;

    if (!value.kind) {
        value.as.tensor = dg_tensor_keep(stacked->all);
        value.kind = value.as.tensor ? DG_ARG_TENSOR : DG_ARG_NONE;
    }
    if (value.kind)
        *DG_APPEND(results->items, results->n) = value;
    return control->err->status;
}

/* A loop over the first dimension: the first results of a turn are carried into the
 * next, the others are stacked. */
struct loop {
    const struct dg_arg *xs, *additional;
    struct dg_values carried;
    size_t n_carried;
    bool carry_only; /* what is carried is stacked, too: an associative scan */
    int64_t length;
    struct stacked *stacks;
    size_t n_stacks;
};

static enum dg_status hold_count(const struct dg_control *control, size_t n_carried,
                                 size_t n_given)
{
    return n_given == n_carried ? DG_OK
                                : dg_fail(control->err, DG_ERR_FORMAT,
                                          "a loop that carries %zu values gives %zu",
                                          n_carried, n_given);
}

static enum dg_status loop_turn(struct dg_control *control, struct loop *loop,
                                int64_t i)
{
    struct dg_values operands = {0}, answer = {0};
    enum dg_status status;
    size_t first = loop->carry_only ? 0 : loop->n_carried;

    for (size_t k = 0; k < loop->n_carried; k++)
        dg_values_push(&operands, &loop->carried.items[k]);
    push_items(&operands, loop->xs, i);
    dg_values_push_list(&operands, loop->additional);
    status = dg_control_run(control, control->step->schedules[0], &operands, &answer);
    if (!status && answer.n < loop->n_carried)
        status = hold_count(control, loop->n_carried, answer.n);
    if (!status && !loop->stacks) {
        loop->n_stacks = answer.n - first;
        loop->stacks = dg_alloc(&control->frame->scratch, loop->n_stacks + 1,
                                sizeof(*loop->stacks));
    }
    for (size_t k = 0; !status && k < loop->n_stacks && first + k < answer.n; k++)
        status =
            stack(control, &loop->stacks[k], &answer.items[first + k], i, loop->length);
    dg_values_clear(&loop->carried);
    for (size_t k = 0; k < loop->n_carried && k < answer.n; k++)
        dg_values_push(&loop->carried, &answer.items[k]);
    dg_values_clear(&answer);
    dg_values_clear(&operands);
    return status;
}

static void loop_clear(struct loop *loop)
{
    for (size_t k = 0; k < loop->n_stacks; k++)
        dg_tensor_drop(loop->stacks[k].all);
    dg_values_clear(&loop->carried);
}

static enum dg_status loop_over(struct dg_control *control, struct loop *loop,
                                int64_t from, struct dg_values *results)
{
    enum dg_status status = DG_OK;

    for (int64_t i = from; !status && i < loop->length; i++) {
        status = dg_count_turn(control->machine, control->err);
        if (!status)
            status = loop_turn(control, loop, i);
    }
    for (size_t k = 0; !status && !loop->carry_only && k < loop->carried.n; k++)
        dg_values_push(results, &loop->carried.items[k]);
    for (size_t k = 0; !status && k < loop->n_stacks; k++)
        status = push_stacked(control, &loop->stacks[k], results);
    loop_clear(loop);
    return status;
}

enum dg_status dg_run_scan(struct dg_control *control, struct dg_values *results)
{
    struct loop loop = {.xs = &control->args[1], .additional = &control->args[2]};
    enum dg_status status = length_of(control, loop.xs, &loop.length);

    dg_values_push_list(&loop.carried, &control->args[0]);
    loop.n_carried = loop.carried.n;
    if (!status)
        return loop_over(control, &loop, 0, results);
    dg_values_clear(&loop.carried);
    return status;
}

enum dg_status dg_run_map(struct dg_control *control, struct dg_values *results)
{
    struct loop loop = {.xs = &control->args[0], .additional = &control->args[1]};
    enum dg_status status = length_of(control, loop.xs, &loop.length);

    return status ? status : loop_over(control, &loop, 0, results);
}

/* The first items as they are; each next one combined with what came before it. */
enum dg_status dg_run_associative_scan(struct dg_control *control,
                                       struct dg_values *results)
{
    struct loop loop = {
        .xs = &control->args[0], .additional = &control->args[1], .carry_only = true};
    enum dg_status status = length_of(control, loop.xs, &loop.length);

    if (status)
        return status;
    push_items(&loop.carried, loop.xs, 0);
    loop.n_carried = loop.n_stacks = loop.carried.n;
    loop.stacks =
        dg_alloc(&control->frame->scratch, loop.n_stacks + 1, sizeof(*loop.stacks));
    for (size_t k = 0; !status && k < loop.n_stacks; k++)
        status =
            stack(control, &loop.stacks[k], &loop.carried.items[k], 0, loop.length);
    if (!status)
        return loop_over(control, &loop, 1, results);
    loop_clear(&loop);
    return status;
}

/* One turn: whether to go on, and what is carried then. */
static enum dg_status turn(struct dg_control *control, struct dg_values *carried,
                           bool *again)
{
    struct dg_values operands = {0}, answer = {0};
    enum dg_status status;

    for (size_t i = 0; i < carried->n; i++)
        dg_values_push(&operands, &carried->items[i]);
    dg_values_push_list(&operands, &control->args[1]);
    status = dg_control_run(control, control->step->schedules[0], &operands, &answer);
    *again = false;
    if (!status && answer.n == 1 && !dg_unknown_in(&answer.items[0]))
        status = dg_truth(control->machine, &answer.items[0], again, control->err);
    else if (!status)
        status = dg_fail(control->err, DG_ERR_DEVICE, "the condition is not known");
    dg_values_clear(&answer);
    if (!status && *again)
        status =
            dg_control_run(control, control->step->schedules[1], &operands, &answer);
    if (!status && *again) {
        struct dg_values before = *carried;

        *carried = answer;
        answer = before;
    }
    dg_values_clear(&answer);
    dg_values_clear(&operands);
    return status;
}

/* Each of the `n` values that a turn carries, of all turns; of none, of the values that
 * there were before. */
static enum dg_status stack_turns(struct dg_control *control,
                                  const struct dg_values *turns, size_t n,
                                  struct dg_values *results)
{
    const struct dg_values *from = turns->n ? turns : results;
    size_t n_turns = n ? from->n / n : 0;
    struct dg_values stacks = {0};
    enum dg_status status = DG_OK;

    for (size_t k = 0; !status && k < n; k++) {
        struct stacked stacked = {0};

        for (size_t i = 0; !status && i < n_turns; i++)
            status = stack(control, &stacked, &from->items[i * n + k], (int64_t)i,
                           (int64_t)n_turns);
        if (!status)
            status = push_stacked(control, &stacked, &stacks);
        dg_tensor_drop(stacked.all);
    }
    dg_values_clear(results);
    *results = stacks;
    return status;
}

enum dg_status dg_run_while(struct dg_control *control, struct dg_values *results)
{
    bool stacks = control->step->kind == DG_STEP_WHILE_STACKED, again = true;
    size_t n = control->args[0].as.list.n_items;
    struct dg_values turns = {0};
    enum dg_status status = DG_OK;

    dg_values_push_list(results, &control->args[0]);
    while (!status && again) {
        status = dg_count_turn(control->machine, control->err);
        if (!status)
            status = turn(control, results, &again);
        if (!status)
            status = hold_count(control, n, results->n);
        for (size_t k = 0; !status && again && stacks && k < n; k++)
            dg_values_push(&turns, &results->items[k]);
    }
    if (!status && stacks)
        status = stack_turns(control, &turns, n, results);
    dg_values_clear(&turns);
    return status;
}
