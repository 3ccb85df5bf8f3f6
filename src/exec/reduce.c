/* The smallest part of a program that still shows what is wrong. */
#include <stdlib.h>
#include <string.h>

#include "exec/reduce_parts.h"

/* Steps before the culprit are taken in at most so often, each time those that make
 * what the part reads. */
enum { ROUNDS_MOST = 16 };

struct walk {
    const struct dg_reducing *reducing;
    bool *read; /* by slot */
};

static void note_read(void *data, uint32_t slot)
{
    struct walk *walk = data;

    if (!dg_reducing_has_inside(walk->reducing, slot) &&
        walk->reducing->schedule->slots[slot].kind != DG_SLOT_CONSTANT)
        walk->read[slot] = true;
}

/* What the part reads from outside, by slot. */
static bool *reads_of_part(struct dg_reducing *reducing)
{
    const struct dg_schedule *schedule = reducing->schedule;
    struct walk walk = {reducing};

    walk.read = dg_alloc(&reducing->memory, schedule->n_slots + 1, 1);
    for (size_t i = 0; i < schedule->n_steps; i++) {
        if (reducing->repro->chosen[i])
            dg_step_reads(&schedule->steps[i], note_read, &walk);
    }
    return walk.read;
}

static void choose_step(struct dg_reducing *reducing, uint32_t i)
{
    bool *chosen = &reducing->repro->chosen[i];

    reducing->repro->n_nodes +=
        !*chosen && dg_step_computes(&reducing->schedule->steps[i]);
    *chosen = true;
}

/* Items of a list are chosen with what makes it: a list is no value of a file. */
static bool take_items(struct dg_reducing *reducing)
{
    const struct dg_schedule *schedule = reducing->schedule;
    bool changed = false;

    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        const struct dg_step *step = &schedule->steps[i];

        if (step->kind != DG_STEP_ITEM || reducing->repro->chosen[i] || !step->n_args ||
            step->args[0].kind != DG_OPERAND_SLOT ||
            !dg_reducing_has_inside(reducing, step->args[0].slot))
            continue;
        choose_step(reducing, i);
        changed = true;
    }
    return changed;
}

/* Take in what makes such values of `read`; whether there were any. */
static bool take_makers(struct dg_reducing *reducing, const bool *read, bool known_too)
{
    bool any = false;

    for (uint32_t slot = 0; slot < reducing->schedule->n_slots; slot++) {
        uint32_t maker = reducing->maker[slot];

        if (!read[slot] || maker == DG_NO_STEP ||
            (!known_too && dg_reducing_value(reducing, slot)))
            continue;
        choose_step(reducing, maker);
        any = true;
    }
    return take_items(reducing) || any;
}

/* The step that makes a value; of an item the one that makes the list. */
static uint32_t computed_by(const struct dg_reducing *reducing, uint32_t slot)
{
    uint32_t maker = reducing->maker[slot];
    const struct dg_step *step =
        maker == DG_NO_STEP ? NULL : &reducing->schedule->steps[maker];

    return step && step->kind == DG_STEP_ITEM && step->args[0].kind == DG_OPERAND_SLOT
               ? reducing->maker[step->args[0].slot]
               : maker;
}

static enum dg_status want(struct dg_reducing *reducing, const bool *read)
{
    const struct dg_schedule *schedule = reducing->schedule;

    memcpy(reducing->wanted, read, schedule->n_slots);
    for (uint32_t slot = 0; slot < schedule->n_slots; slot++) {
        uint32_t maker = reducing->maker[slot];

        if (maker != DG_NO_STEP && computed_by(reducing, slot) == reducing->culprit)
            reducing->wanted[slot] = true;
    }
    return dg_reducing_run(reducing);
}

/* Run both until all that the part reads is known of the tested one. */
static enum dg_status cut(struct dg_reducing *reducing, bool **read)
{
    enum dg_status status;

    do {
        *read = reads_of_part(reducing);
        status = want(reducing, *read);
    } while (!status && take_makers(reducing, *read, false));
    return status;
}

static enum dg_status grow_until_it_fails(struct dg_reducing *reducing)
{
    bool fails = false, *read, more = true;
    enum dg_status status = DG_OK;

    for (int round = 0; !status && !fails && more && round < ROUNDS_MOST; round++) {
        if (round)
            more = take_makers(reducing, read, true);
        status = cut(reducing, &read);
        if (!status && more)
            status = dg_reducing_try(reducing, &fails);
    }
    return status || fails
               ? status
               : dg_fail(reducing->err, DG_ERR_DEVICE,
                         "%s is right for what it reads there, and so is what comes "
                         "before it: what fails is rounding that adds up",
                         reducing->schedule->steps[reducing->culprit].name);
}

/* Leave out step `i`, with the items of what it makes. */
static void leave_out(struct dg_reducing *reducing, uint32_t i)
{
    struct dg_repro *repro = reducing->repro;

    repro->chosen[i] = false;
    for (uint32_t k = 0; k < reducing->schedule->n_steps; k++) {
        const struct dg_step *step = &reducing->schedule->steps[k];

        if (repro->chosen[k] && step->kind == DG_STEP_ITEM &&
            !dg_reducing_has_inside(reducing, step->args[0].slot))
            repro->chosen[k] = false;
    }
    repro->n_nodes--;
}

/* Keep the part without step `i` where that still fails. */
static enum dg_status try_without(struct dg_reducing *reducing, uint32_t i,
                                  bool *before)
{
    struct dg_repro *repro = reducing->repro;
    size_t n_nodes = repro->n_nodes;
    bool fails = false, *read;
    enum dg_status status;

    memcpy(before, repro->chosen, reducing->schedule->n_steps);
    leave_out(reducing, i);
    status = cut(reducing, &read);
    if (!status && repro->n_nodes < n_nodes)
        status = dg_reducing_try(reducing, &fails);
    if (!fails) {
        memcpy(repro->chosen, before, reducing->schedule->n_steps);
        repro->n_nodes = n_nodes;
    }
    return status;
}

/* Leave out what the part can do without, from its front on; then make it as it is. */
static enum dg_status shrink(struct dg_reducing *reducing)
{
    const struct dg_schedule *schedule = reducing->schedule;
    bool *before = dg_alloc(&reducing->memory, schedule->n_steps + 1, 1);
    bool fails, *read;
    enum dg_status status = DG_OK;

    if (reducing->repro->n_nodes == 1)
        return DG_OK;
    for (uint32_t i = 0; i < reducing->culprit && !status; i++) {
        if (reducing->repro->chosen[i] && dg_step_computes(&schedule->steps[i]))
            status = try_without(reducing, i, before);
    }
    if (!status)
        status = cut(reducing, &read);
    return status ? status : dg_reducing_try(reducing, &fails);
}

/* The steps to begin with: the culprit; where it passes alone, what was not compared
 * before it, too. */
static void choose_first(struct dg_reducing *reducing,
                         const struct dg_numeric_answer *answer)
{
    choose_step(reducing, reducing->culprit);
    for (size_t i = 0; !answer->confirmed && i < answer->n_candidates; i++)
        choose_step(reducing, answer->candidates[i]);
    take_items(reducing);
}

/* The step that bisect named; where it compared none that is wrong, the one that makes
 * an output that is. */
static uint32_t find_culprit(struct dg_reducing *reducing,
                             const struct dg_numeric_answer *answer)
{
    const struct dg_io *outputs = reducing->schedule->outputs;
    uint32_t found = DG_NO_STEP;

    if (answer->culprit != SIZE_MAX)
        return answer->steps[answer->culprit].step;
    for (size_t i = 0; i < answer->n_results && found == DG_NO_STEP; i++) {
        const struct dg_numeric_result *result = &answer->results[i];

        if (result->judgement.verdict != DG_VERDICT_FAIL ||
            outputs[result->output].slot == DG_IO_LITERAL)
            continue;
        found = computed_by(reducing, outputs[result->output].slot);
        for (size_t call = 0; call < answer->n_calls; call++) {
            if (answer->first_of_call[call] <= i)
                reducing->n_calls = call + 1;
        }
    }
    return found;
}

static enum dg_status check(const struct dg_reducing *reducing)
{
    const struct dg_step *step = reducing->culprit == DG_NO_STEP
                                     ? NULL
                                     : &reducing->schedule->steps[reducing->culprit];

    if (!step)
        return dg_fail(reducing->err, DG_ERR_DEVICE,
                       "no node makes what is wrong, which is given as it is");
    if (step->n_schedules)
        return dg_fail(reducing->err, DG_ERR_DEVICE,
                       "%s runs other graphs, which are not taken out", step->name);
    return DG_OK;
}

/* What the part makes of its inputs, for who writes down its types and sizes. */
static enum dg_status keep_values(struct dg_reducing *reducing)
{
    struct dg_repro *repro = reducing->repro;
    const struct dg_schedule *schedule = reducing->schedule;

    memcpy(reducing->wanted, reads_of_part(reducing), schedule->n_slots);
    for (uint32_t slot = 0; slot < schedule->n_slots; slot++)
        reducing->wanted[slot] |= dg_reducing_has_inside(reducing, slot);
    repro->values =
        dg_alloc(&repro->memory, schedule->n_slots + 1, sizeof(*repro->values));
    return dg_reducing_run_own(reducing, NULL, repro->values);
}

static void begin(struct dg_reducing *reducing, const struct dg_numeric_answer *answer,
                  size_t n_calls)
{
    const struct dg_schedule *schedule = reducing->schedule;
    struct dg_arena *memory = &reducing->memory;

    reducing->n_calls = answer->n_calls < n_calls ? answer->n_calls : n_calls;
    reducing->n_calls += !reducing->n_calls;
    reducing->repro->chosen =
        dg_alloc(&reducing->repro->memory, schedule->n_steps + 1, 1);
    reducing->wanted = dg_alloc(memory, schedule->n_slots + 1, 1);
    reducing->read = dg_alloc(memory, schedule->n_slots + 1, 1);
    reducing->own = dg_alloc(memory, schedule->n_slots + 1, sizeof(struct dg_arg));
    reducing->tested = dg_alloc(memory, schedule->n_slots + 1, sizeof(struct dg_arg));
    reducing->maker = dg_alloc(memory, schedule->n_slots + 1, sizeof(uint32_t));
    memset(reducing->maker, 0xff, schedule->n_slots * sizeof(uint32_t));
    for (uint32_t i = 0; i < schedule->n_steps; i++) {
        for (size_t k = 0; k < schedule->steps[i].n_results; k++)
            reducing->maker[schedule->steps[i].results[k]] = i;
    }
    reducing->culprit = find_culprit(reducing, answer);
}

enum dg_status dg_reduce(struct dg_repro *repro,
                         const struct dg_numeric_request *request,
                         const struct dg_numeric_call *calls, size_t n_calls,
                         const struct dg_numeric_answer *answer, struct dg_error *err)
{
    struct dg_reducing reducing = {repro, request, calls, .schedule = request->schedule,
                                   .err = err};
    enum dg_status status;

    *repro = (struct dg_repro){.whole = request->schedule};
    begin(&reducing, answer, n_calls);
    status = check(&reducing);
    if (!status && request->against)
        status = dg_match(&reducing.matching, request->schedule, request->against,
                          &reducing.memory, err);
    if (!status)
        choose_first(&reducing, answer);
    if (!status)
        status = grow_until_it_fails(&reducing);
    if (!status)
        status = shrink(&reducing);
    if (!status)
        status = keep_values(&reducing);
    dg_reducing_forget(&reducing);
    dg_arena_clear(&reducing.memory);
    return status;
}

void dg_repro_clear(struct dg_repro *repro)
{
    for (size_t i = 0; repro->values && i < repro->part.n_slots; i++)
        dg_arg_drop(&repro->values[i]);
    dg_repro_clear_part(repro);
    dg_arena_clear(&repro->memory);
    *repro = (struct dg_repro){0};
}
