/* What stands behind each value of a run: which steps that round, and how. */
#include "exec/slice_parts.h"

#include <stdlib.h>

#include "exec/ulp.h"

enum { PLANS_MOST = 4096 };

struct dg_slice **dg_slices_new(const struct dg_schedule *schedule,
                                struct dg_arena *memory)
{
    struct dg_slice **slices = dg_alloc(memory, schedule->n_slots + 1, sizeof(*slices));

    for (size_t i = 0; i < schedule->n_slots; i++)
        slices[i] = dg_alloc(memory, 1, sizeof(**slices));
    for (size_t i = 0; i < schedule->n_slots; i++) {
        const struct dg_slot *slot = &schedule->slots[i];

        if (slot->within || slot->shows)
            slices[i] = slices[(slot->within ? slot->within : slot->shows) - 1];
    }
    return slices;
}

static void join(struct dg_slice *slice, const struct dg_slice *other)
{
    if (other->tolerance > slice->tolerance)
        slice->tolerance = other->tolerance;
    if (other->depth > slice->depth)
        slice->depth = other->depth;
    if (other->longest_sum > slice->longest_sum)
        slice->longest_sum = other->longest_sum;
    slice->narrowest = dg_narrower(slice->narrowest, other->narrowest);
    slice->exponential |= other->exponential;
    if (other->half_sum > slice->half_sum)
        slice->half_sum = other->half_sum;
}

struct reading {
    const struct dg_machine *machine;
    struct dg_slice *const *slices;
    struct dg_slice_step *before;
    struct dg_slice_contents seen;
};

static void note_storage(struct dg_slice_step *before, const struct dg_arg *value,
                         struct dg_slice *slice)
{
    for (size_t i = 0; value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++)
        note_storage(before, &value->as.list.items[i], slice);
    if (value->kind == DG_ARG_TENSOR)
        *DG_APPEND(before->read, before->n_read) =
            (struct dg_slice_read){value->as.tensor->storage, slice};
}

static void read_storage(void *data, uint32_t slot)
{
    struct reading *reading = data;

    note_storage(reading->before, &reading->machine->slots[slot],
                 reading->slices[slot]);
}

static void read_slot(void *data, uint32_t slot)
{
    struct reading *reading = data;

    join(&reading->before->behind, reading->slices[slot]);
    dg_slice_see(&reading->seen, &reading->machine->slots[slot]);
    read_storage(reading, slot);
}

void dg_slice_before(struct dg_slice_step *before, const struct dg_step *step,
                     const struct dg_machine *machine, struct dg_slice *const *slices)
{
    struct reading reading = {machine, slices, before, {0}};

    before->behind = (struct dg_slice){0};
    before->n_read = 0;
    dg_step_reads(step, read_slot, &reading);
    before->floats = reading.seen.floats;
    before->complex = reading.seen.complex;
    before->sizes[0] = reading.seen.sizes[0];
    before->sizes[1] = reading.seen.sizes[1];
    before->side = reading.seen.side;
    before->line = reading.seen.line;
}

/* What a kernel leads to. */
static struct dg_slice cone_of_kernel(const struct dg_step *step,
                                      enum dg_tolerance tolerance)
{
    static const char *const names[] = {"aten::exp", "xnnpack::Exp", "xnnpack::Softmax",
                                        NULL};

    return (struct dg_slice){.tolerance = tolerance,
                             .depth = 1,
                             .exponential = dg_step_is_one_of(step, names)};
}

/* Plans that a step calls, those in them, and so on: the loosest of their steps. What
 * is carried from turn to turn errs like a scan. */
static struct dg_slice cone_of_schedules(const struct dg_step *step)
{
    const struct dg_schedule **schedules = NULL;
    struct dg_slice slice = {0};
    size_t n = 0, seen = 0;

    for (size_t i = 0; i < step->n_schedules; i++)
        *DG_APPEND(schedules, n) = step->schedules[i];
    while (n && seen++ < PLANS_MOST) { /* callees may be shared many times over */
        const struct dg_schedule *schedule = schedules[--n];

        for (size_t i = 0; i < schedule->n_steps; i++) {
            const struct dg_step *inner = &schedule->steps[i];

            if (inner->kernel && inner->kernel->tolerance != DG_TOLERANCE_EXACT) {
                struct dg_slice one = cone_of_kernel(inner, inner->kernel->tolerance);

                one.depth = 0;
                join(&slice, &one);
                slice.depth++;
            }
            for (size_t k = 0; k < inner->n_schedules; k++)
                *DG_APPEND(schedules, n) = inner->schedules[k];
        }
    }
    free(schedules);
    if (slice.depth && step->kind != DG_STEP_ASSOCIATIVE_SCAN &&
        dg_step_has_turns(step) && slice.tolerance < DG_TOLERANCE_SCAN)
        slice.tolerance = DG_TOLERANCE_SCAN;
    return slice;
}

/* The slice of what a value is a view of; NULL: of nothing that the step read. */
static struct dg_slice *base_of(const struct dg_slice_step *before,
                                const struct dg_arg *value)
{
    struct dg_slice *base = NULL;

    for (size_t i = 0;
         !base && value->kind == DG_ARG_LIST && i < value->as.list.n_items; i++)
        base = base_of(before, &value->as.list.items[i]);
    for (size_t i = 0; !base && value->kind == DG_ARG_TENSOR && i < before->n_read; i++)
        base = before->read[i].storage == value->as.tensor->storage
                   ? before->read[i].slice
                   : NULL;
    return base;
}

struct putting {
    const struct dg_schedule *schedule;
    struct dg_slice **slices;
    const struct dg_slice *slice;
};

/* A list of a .pte holds what lies elsewhere. */
static void put(void *data, uint32_t slot)
{
    struct putting *putting = data;
    const struct dg_operand *list = putting->schedule->slots[slot].list;

    *putting->slices[slot] = *putting->slice;
    if (list)
        dg_operand_reads(list, put, putting);
}

/* Of what a step takes out of a list. */
static bool take_item(struct dg_slice *slice, const struct dg_step *step,
                      const struct dg_slice *list)
{
    const struct dg_operand *item = &step->args[1];
    bool known = item->kind == DG_OPERAND_LITERAL && item->literal.kind == DG_ARG_INT;

    return dg_slice_item(slice, list, known ? item->literal.as.integer : -1);
}

static bool is_item(const struct dg_step *step)
{
    return step->kind == DG_STEP_ITEM && step->n_args == 2 &&
           step->args[0].kind == DG_OPERAND_SLOT;
}

/* `slice` is that of results of a step after `own` joined what is `behind` it. */
static void note_maker(struct dg_slice *slice, const struct dg_step *step,
                       const struct dg_slice *own, enum dg_tolerance behind)
{
    if (own->tolerance == DG_TOLERANCE_VECTORS && (step->kernel || step->n_schedules)) {
        slice->maker = step;
        slice->settled = behind;
    }
}

/* Of results, and of all that the step writes; `apart`: they share that of nothing. */
static void put_all(struct dg_slice **slices, const struct dg_step *step,
                    const struct dg_machine *machine,
                    const struct dg_slice_step *before, const struct dg_slice *slice,
                    bool apart)
{
    struct putting putting = {machine->schedule, slices, slice};

    for (size_t i = 0; i < step->n_results; i++) {
        uint32_t slot = step->results[i];
        struct dg_slice *base = machine->schedule->is_pte || apart
                                    ? NULL
                                    : base_of(before, &machine->slots[slot]);

        slices[slot] = base ? base : slices[slot];
        put(&putting, slot);
    }
    dg_step_writes(step, put, &putting);
    /* et_copy_index has no result: it writes where its first argument lies. */
    if (!step->n_results && step->n_args && step->args[0].kind == DG_OPERAND_SLOT)
        put(&putting, step->args[0].slot);
}

struct tracing {
    const struct dg_schedule *schedule;
    const struct dg_slice *slices;
    struct dg_slice behind;
};

static void trace(void *data, uint32_t slot)
{
    struct tracing *tracing = data;
    const struct dg_arg *initial = &tracing->schedule->slots[slot].initial;

    join(&tracing->behind, &tracing->slices[slot]);
    if (initial->kind == DG_ARG_TENSOR)
        tracing->behind.narrowest =
            dg_narrower(tracing->behind.narrowest, initial->as.tensor->type);
    if (tracing->schedule->slots[slot].list)
        dg_operand_reads(tracing->schedule->slots[slot].list, trace, tracing);
}

static struct dg_slice cone_of_step(const struct dg_step *step)
{
    if (step->n_schedules)
        return cone_of_schedules(step);
    if (step->kind == DG_STEP_OPAQUE)
        return (struct dg_slice){DG_TOLERANCE_ATTENTION, 1, 0, 0};
    return step->kernel && step->kernel->tolerance != DG_TOLERANCE_EXACT
               ? cone_of_kernel(step, step->kernel->tolerance)
               : (struct dg_slice){0};
}

static void put_joined(struct dg_slice *to, const struct dg_slice *slice)
{
    join(to, slice);
    to->maker = slice->maker;
    to->settled = slice->settled;
}

void dg_slices_of_schedule(struct dg_slice *slices, const struct dg_schedule *schedule)
{
    struct dg_slice all = {0};

    for (size_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_step *step = &schedule->steps[i];
        struct tracing tracing = {schedule, slices, {0}};
        struct dg_slice own = cone_of_step(step);

        dg_step_reads(step, trace, &tracing);
        own.depth += tracing.behind.depth;
        join(&own, &tracing.behind);
        note_maker(&own, step, &own, tracing.behind.tolerance);
        if (is_item(step))
            take_item(&own, step, &slices[step->args[0].slot]);
        for (size_t k = 0; k < step->n_results; k++)
            put_joined(&slices[step->results[k]], &own);
        join(&all, &own);
    }
    for (size_t i = 0; (schedule->writes || schedule->is_pte) && i < schedule->n_slots;
         i++)
        join(&slices[i], &all);
}

void dg_slices_of_outputs(struct dg_schedule *schedule)
{
    struct dg_arena memory = {0};
    struct dg_slice *slices = dg_alloc(&memory, schedule->n_slots + 1, sizeof(*slices));

    dg_slices_of_schedule(slices, schedule);
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        struct dg_io *io = &schedule->outputs[i];

        io->tolerance =
            io->slot == DG_IO_LITERAL ? DG_TOLERANCE_EXACT : slices[io->slot].tolerance;
    }
    dg_arena_clear(&memory);
}

void dg_slice_step_clear(struct dg_slice_step *before)
{
    free(before->read);
    *before = (struct dg_slice_step){0};
}

static enum dg_tolerance tolerance_of(const struct dg_step *step,
                                      const struct dg_slice_step *before)
{
    if (!step->kernel)
        return DG_TOLERANCE_EXACT;
    return before->complex ? dg_complex_tolerance(step->kernel)
                           : step->kernel->tolerance;
}

void dg_slice_after(struct dg_slice **slices, const struct dg_step *step,
                    const struct dg_machine *machine, struct dg_slice_step *before)
{
    struct reading reading = {machine, slices, before, {0}};
    struct dg_slice own = {0}, slice = before->behind;
    struct dg_slice_contents results = {0};
    enum dg_tolerance tolerance = tolerance_of(step, before);
    bool apart = false;

    for (size_t i = 0; i < step->n_results; i++)
        dg_slice_see(&results, &machine->slots[step->results[i]]);
    if (step->n_schedules)
        own = cone_of_schedules(step);
    else if (tolerance != DG_TOLERANCE_EXACT)
        own = cone_of_kernel(step, tolerance);
    /* Arithmetic of integers is exact. */
    if (!before->floats && !results.floats && own.tolerance != DG_TOLERANCE_RANDOM)
        own = (struct dg_slice){0};
    if (own.tolerance != DG_TOLERANCE_EXACT) {
        /* Codes of 8 bits are others only where what they are made of errs. */
        if (slice.depth || dg_type_is_float(results.narrowest))
            own.narrowest = results.narrowest;
        if (own.tolerance >= DG_TOLERANCE_REDUCTION)
            own.longest_sum = dg_slice_terms(before, &results);
        if (own.tolerance == DG_TOLERANCE_FACTORIZATION ||
            own.tolerance == DG_TOLERANCE_VECTORS)
            own.depth += (size_t)before->side;
        own.half_sum = dg_slice_half_sum(step, machine);
        own.depth += slice.depth;
    }
    join(&slice, &own);
    note_maker(&slice, step, &own, before->behind.tolerance);
    if (is_item(step))
        apart = take_item(&slice, step, slices[step->args[0].slot]);
    dg_step_reads(step, read_storage, &reading); /* constants that it loaded */
    put_all(slices, step, machine, before, &slice, apart);
}
