/* What stands behind each value of a run: which steps that round, and how. */
#include "exec/cone.h"

#include <math.h>
#include <stdlib.h>

#include "exec/ulp.h"

enum { LIST_DEPTH = 8, PLANS_MOST = 4096 };

/* Lists in lists, without recursion. */
static void operand_reads(const struct dg_operand *operand, dg_slot_fn *fn, void *data)
{
    struct {
        const struct dg_operand *at, *end;
    } open[LIST_DEPTH] = {{operand, operand + 1}};
    int depth = 0;

    while (depth >= 0) {
        const struct dg_operand *at = open[depth].at++;

        if (at == open[depth].end) {
            depth--;
        } else if (at->kind == DG_OPERAND_SLOT) {
            fn(data, at->slot);
        } else if (at->kind == DG_OPERAND_LIST && depth + 1 < LIST_DEPTH) {
            depth++;
            open[depth].at = at->items;
            open[depth].end = at->items + at->n_items;
        }
    }
}

void dg_step_reads(const struct dg_step *step, dg_slot_fn *fn, void *data)
{
    for (size_t i = 0; i < step->n_args; i++)
        operand_reads(&step->args[i], fn, data);
}

static int by_place(const void *a, const void *b)
{
    const struct dg_slot *left = *(const struct dg_slot *const *)a;
    const struct dg_slot *right = *(const struct dg_slot *const *)b;

    if (left->arena != right->arena)
        return left->arena < right->arena ? -1 : 1;
    if (left->arena_offset != right->arena_offset)
        return left->arena_offset < right->arena_offset ? -1 : 1;
    return 0;
}

struct dg_cone **dg_cones_new(const struct dg_plan *plan, struct dg_arena *memory)
{
    struct dg_cone **cones = dg_alloc(memory, plan->n_slots + 1, sizeof(*cones));
    const struct dg_slot **slots = dg_alloc(memory, plan->n_slots + 1, sizeof(*slots));

    for (size_t i = 0; i < plan->n_slots; i++)
        slots[i] = &plan->slots[i];
    if (plan->n_slots)
        qsort(slots, plan->n_slots, sizeof(*slots), by_place);
    for (size_t i = 0; i < plan->n_slots; i++) {
        bool shared = i && plan->is_pte && slots[i]->arena >= 0 &&
                      !by_place(&slots[i - 1], &slots[i]);

        cones[slots[i] - plan->slots] = shared ? cones[slots[i - 1] - plan->slots]
                                               : dg_alloc(memory, 1, sizeof(**cones));
    }
    return cones;
}

static enum dg_type narrower(enum dg_type a, enum dg_type b)
{
    int bits_a = dg_fraction_bits(a), bits_b = dg_fraction_bits(b);

    return bits_b >= 0 && (bits_a < 0 || bits_b < bits_a) ? b : a;
}

static void join(struct dg_cone *cone, const struct dg_cone *other)
{
    if (other->tolerance > cone->tolerance)
        cone->tolerance = other->tolerance;
    if (other->depth > cone->depth)
        cone->depth = other->depth;
    if (other->longest_sum > cone->longest_sum)
        cone->longest_sum = other->longest_sum;
    cone->narrowest = narrower(cone->narrowest, other->narrowest);
}

/* Floats and sizes of a value; lists of tensors count as their items. */
struct contents {
    bool floats;
    enum dg_type narrowest;
    double sizes[2], total;
};

static void see_tensor(struct contents *seen, const struct dg_tensor *tensor)
{
    double size = (double)dg_tensor_count(tensor);

    if (dg_fraction_bits(tensor->type) >= 0) {
        seen->floats = true;
        seen->narrowest = narrower(seen->narrowest, tensor->type);
    }
    seen->total += size;
    if (size > seen->sizes[0]) {
        seen->sizes[1] = seen->sizes[0];
        seen->sizes[0] = size;
    } else if (size > seen->sizes[1]) {
        seen->sizes[1] = size;
    }
}

static void see(struct contents *seen, const struct dg_arg *value)
{
    if (value->kind == DG_ARG_TENSOR)
        see_tensor(seen, value->as.tensor);
    seen->floats = seen->floats || value->kind == DG_ARG_FLOAT;
    for (size_t i = 0; value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++) {
        if (value->as.list.items[i].kind == DG_ARG_TENSOR)
            see_tensor(seen, value->as.list.items[i].as.tensor);
    }
}

struct reading {
    const struct dg_machine *machine;
    struct dg_cone *const *cones;
    struct dg_cone_step *before;
    struct contents seen;
};

static void read_slot(void *data, uint32_t slot)
{
    struct reading *reading = data;

    join(&reading->before->behind, reading->cones[slot]);
    see(&reading->seen, &reading->machine->slots[slot]);
}

void dg_cone_before(struct dg_cone_step *before, const struct dg_step *step,
                    const struct dg_machine *machine, struct dg_cone *const *cones)
{
    struct reading reading = {machine, cones, before, {0}};

    *before = (struct dg_cone_step){0};
    dg_step_reads(step, read_slot, &reading);
    before->floats = reading.seen.floats;
    before->sizes[0] = reading.seen.sizes[0];
    before->sizes[1] = reading.seen.sizes[1];
}

/* Plans that a step calls, those in them, and so on: the loosest of their steps. What
 * is carried from turn to turn errs like a scan. */
static struct dg_cone cone_of_plans(const struct dg_step *step)
{
    const struct dg_plan **plans = NULL;
    struct dg_cone cone = {0};
    size_t n = 0, seen = 0;

    for (size_t i = 0; i < step->n_plans; i++)
        *DG_APPEND(plans, n) = step->plans[i];
    while (n && seen++ < PLANS_MOST) { /* callees may be shared many times over */
        const struct dg_plan *plan = plans[--n];

        for (size_t i = 0; i < plan->n_steps; i++) {
            const struct dg_step *inner = &plan->steps[i];

            if (inner->kernel && inner->kernel->tolerance != DG_TOLERANCE_EXACT) {
                join(&cone, &(struct dg_cone){inner->kernel->tolerance, 0, 0, 0});
                cone.depth++;
            }
            for (size_t k = 0; k < inner->n_plans; k++)
                *DG_APPEND(plans, n) = inner->plans[k];
        }
    }
    free(plans);
    if (cone.depth && (step->kind == DG_STEP_WHILE || step->kind == DG_STEP_SCAN) &&
        cone.tolerance < DG_TOLERANCE_SCAN)
        cone.tolerance = DG_TOLERANCE_SCAN;
    return cone;
}

/* k of [m,k] times [k,n], and what is left of a sum: n of n to 1. */
static int64_t terms(const struct dg_cone_step *before, double results)
{
    double most = before->sizes[0], n = most;

    if (results > 0 && before->sizes[1] > 1)
        n = sqrt(most / results * before->sizes[1]);
    else if (results > 0)
        n = most / results;
    return (int64_t)fmin(fmax(fmin(n, most), 1), 1e15);
}

void dg_cone_after(struct dg_cone *const *cones, const struct dg_step *step,
                   const struct dg_machine *machine, const struct dg_cone_step *before)
{
    struct dg_cone own = {0}, cone = before->behind;
    struct contents results = {0};

    for (size_t i = 0; i < step->n_results; i++)
        see(&results, &machine->slots[step->results[i]]);
    if (step->n_plans)
        own = cone_of_plans(step);
    else if (step->kernel && step->kernel->tolerance != DG_TOLERANCE_EXACT)
        own = (struct dg_cone){step->kernel->tolerance, 1, 0, 0};
    /* Arithmetic of integers is exact. */
    if (!before->floats && !results.floats && own.tolerance != DG_TOLERANCE_RANDOM)
        own = (struct dg_cone){0};
    if (own.tolerance != DG_TOLERANCE_EXACT) {
        own.narrowest = results.narrowest;
        if (own.tolerance >= DG_TOLERANCE_REDUCTION)
            own.longest_sum = terms(before, results.total);
        own.depth += cone.depth;
    }
    join(&cone, &own);
    for (size_t i = 0; i < step->n_results; i++)
        *cones[step->results[i]] = cone;
    /* et_copy_index has no result: it writes where its first argument lies. */
    if ((step->variant == DG_VARIANT_IN_PLACE || !step->n_results) && step->n_args &&
        step->args[0].kind == DG_OPERAND_SLOT)
        *cones[step->args[0].slot] = cone;
}
