/* Running a program, call by call, in all evaluations. */
#include "exec/run.h"

#include <stdlib.h>
#include <string.h>

#include "exec/run_parts.h"
#include "kernels/cpu/thread_pool.h"

const char *const dg_verdict_names[] = {"pass", "fail", "skip"};
const char *const dg_tolerance_names[] = {
    "exact",     "rounded",   "function", "difference", "power",       "order",
    "quantize",  "reduction", "stepwise", "variance",   "contraction", "factorization",
    "attention", "scan",      "random",   "vectors",
};

bool dg_is_user_output(const struct dg_io *output)
{
    return !output->spec || !strcmp(output->spec, "user_output");
}

/* What stands behind buffers stays from call to call; slots know nothing else. */
static void forget(struct dg_comparison *comparison)
{
    const struct dg_schedule *schedule = comparison->schedule;

    for (size_t i = 0; i < schedule->n_outputs; i++) {
        const struct dg_io *io = &schedule->outputs[i];

        if (io->slot != DG_IO_LITERAL && io->written_to != DG_IO_LITERAL)
            *comparison->own_cones[io->written_to] = *comparison->slices[io->slot];
    }
    memcpy(comparison->slices, comparison->own_cones,
           schedule->n_slots * sizeof(*comparison->slices));
    for (size_t slot = 0; slot < schedule->n_slots; slot++) {
        if (schedule->slots[slot].kind != DG_SLOT_BUFFER)
            *comparison->slices[slot] = (struct dg_slice){0};
        comparison->ordered_by[slot] = comparison->made_by[slot] = DG_NO_STEP;
    }
}

struct dg_arg *dg_inputs_of_other(const struct dg_matching *matching,
                                  const struct dg_schedule *other,
                                  const struct dg_inputs *inputs,
                                  struct dg_arena *memory)
{
    struct dg_arg *values = dg_alloc(memory, other->n_inputs + 1, sizeof(*values));

    for (size_t i = 0; i < other->n_inputs; i++) {
        if (matching->inputs[i] < inputs->n_values)
            values[i] = inputs->values[matching->inputs[i]];
    }
    return values;
}

static struct dg_arg *inputs_for(struct dg_comparison *comparison,
                                 const struct dg_inputs *inputs)
{
    return dg_inputs_of_other(&comparison->matching, comparison->request->against,
                              inputs, &comparison->memory);
}

static enum dg_status begin_evaluations(struct dg_comparison *comparison,
                                        const struct dg_numeric_call *call,
                                        struct dg_error *err)
{
    const struct dg_arg *inputs = call->inputs->values;
    enum dg_status status = DG_OK;

    forget(comparison);
    if (comparison->request->whole) {
        status = dg_part_inputs(comparison, inputs, err);
        inputs = comparison->part_inputs;
    }
    for (int which = 0; which < DG_LEGS && !status; which++) {
        struct dg_evaluation *evaluation = &comparison->evaluations[which];
        const struct dg_arg *values = inputs;

        if (which == DG_EVALUATION_TESTED && comparison->request->against)
            values = inputs_for(comparison, call->inputs);
        if (evaluation->open)
            status = dg_evaluation_begin(evaluation, values, err);
        if (which == DG_EVALUATION_TESTED)
            status = dg_comparison_name(comparison, status, err);
    }
    return status;
}

enum dg_status dg_comparison_name(const struct dg_comparison *comparison,
                                  enum dg_status status, struct dg_error *err)
{
    struct dg_error inner = *err;

    return status && comparison->request->against
               ? dg_fail(err, status, "%.200s: %s", comparison->request->against_path,
                         inner.text)
               : status;
}

/* Whether the others can make a step by which the reference came from `before` bytes to
 * those that are used now: all that they hold beside it is to leave it half of what
 * there is. */
static bool has_room(uint64_t before)
{
    enum { OTHERS = 8 }; /* times as much: f64 and f32, grids, what is in between */
    uint64_t used = dg_host_memory.used, grown = used > before ? used - before : 0;

    return !dg_host_memory.limit || used + OTHERS * grown < dg_host_memory.limit / 2;
}

/* Those beside the reference that are there make the same step: it reads the same
 * weights, and the wide one takes what the reference left. One that fails is lost: in
 * f64 an index may lie elsewhere. */
static void follow(struct dg_comparison *comparison, uint32_t i, uint32_t *next)
{
    for (int which = DG_EVALUATION_WIDE; which < DG_EVALUATION_TESTED; which++) {
        struct dg_evaluation *evaluation = &comparison->evaluations[which];
        struct dg_error lost = {0};

        if (!evaluation->open || evaluation->lost || next[which] != i)
            continue;
        evaluation->lost = dg_evaluation_step(evaluation, i, &next[which], &lost);
        if (evaluation->lost)
            dg_machine_drop(&evaluation->machine);
    }
}

/* What went elsewhere, or had no room, goes on alone. */
static void catch_up(struct dg_comparison *comparison, const uint32_t *next)
{
    for (int which = DG_EVALUATION_WIDE; which < DG_EVALUATION_TESTED; which++) {
        struct dg_evaluation *evaluation = &comparison->evaluations[which];
        struct dg_error lost = {0};

        if (evaluation->open && !evaluation->lost)
            evaluation->lost = dg_evaluation_run(evaluation, next[which], &lost);
    }
}

/* Step `i` of the reference, which leaves sums to the wide evaluation if that is there.
 */
static enum dg_status lead(struct dg_comparison *comparison, uint32_t i, uint32_t *next,
                           bool wide_is_there, struct dg_error *err)
{
    const struct dg_evaluation *wide = &comparison->evaluations[DG_EVALUATION_WIDE];
    struct dg_machine *machine =
        &comparison->evaluations[DG_EVALUATION_REFERENCE].machine;
    bool takes = wide->open && !wide->lost && wide_is_there;

    machine->linear_sums = takes ? &comparison->linear_sums : NULL;
    return dg_comparison_step(comparison, i, next, err);
}

static enum dg_status run_side_by_side(struct dg_comparison *comparison,
                                       struct dg_error *err)
{
    uint32_t others[DG_LEGS] = {0};
    enum dg_status status = DG_OK;

    for (uint32_t i = 0, next; !status && i < comparison->schedule->n_steps; i = next) {
        uint64_t before = dg_host_memory.used;

        status = lead(comparison, i, &next, others[DG_EVALUATION_WIDE] == i, err);
        if (!status && has_room(before))
            follow(comparison, i, others);
    }
    dg_linear_sums_clear(&comparison->linear_sums);
    if (!status)
        status = dg_machine_finish(
            &comparison->evaluations[DG_EVALUATION_REFERENCE].machine, err);
    if (!status)
        catch_up(comparison, others);
    return status;
}

/* The tested one behind the others, with the memory that it needs alone. */
static enum dg_status run_whole(struct dg_comparison *comparison, struct dg_error *err)
{
    struct dg_evaluation *tested = &comparison->evaluations[DG_EVALUATION_TESTED];
    enum dg_status status = run_side_by_side(comparison, err);

    if (!status && tested->open)
        status = dg_comparison_name(comparison, dg_evaluation_run(tested, 0, err), err);
    return status;
}

static enum dg_status run_call(struct dg_comparison *comparison,
                               const struct dg_numeric_call *call, struct dg_error *err)
{
    struct dg_numeric_answer *answer = comparison->answer;
    const struct dg_numeric_request *request = comparison->request;
    size_t first = answer->n_results;
    enum dg_status status = begin_evaluations(comparison, call, err);

    answer->n_steps = 0;
    memset(answer->n_not_fed, 0, sizeof(answer->n_not_fed));
    dg_expected_begin(&comparison->expected, comparison->schedule, call->expected);
    if (!status)
        status = request->each || request->isolate || request->bisect
                     ? dg_comparison_lockstep(comparison, err)
                     : run_whole(comparison, err);
    if (!status && !comparison->only_steps)
        status = dg_comparison_outputs(comparison, err);
    if (!status)
        dg_comparison_excuse_doubtful(comparison, first);
    if (!status && request->bisect && answer->culprit == SIZE_MAX &&
        !answer->n_candidates && !comparison->only_steps &&
        comparison->schedule->n_outputs)
        dg_comparison_candidates_of_outputs(comparison, first);
    dg_comparison_not_compared(comparison);
    dg_expected_end(&comparison->expected);
    return status;
}

/* Once more on machines of their own, for buffers carry over. */
static enum dg_status repeat(struct dg_comparison *first,
                             const struct dg_numeric_call *calls, size_t n_calls,
                             struct dg_error *err)
{
    const struct dg_evaluation *tested = first->tested;
    struct dg_numeric_answer *answer = first->answer;
    struct dg_evaluation evaluation = {.open = true};
    enum dg_status status = dg_machine_open(
        &evaluation.machine, tested->machine.schedule, tested->machine.device,
        DG_PRECISION_EXACT_SUMS, first->request->n_threads, err);

    evaluation.machine.context.tf32 = first->request->tf32;
    evaluation.keys = dg_alloc(&first->memory, tested->machine.schedule->n_steps + 1,
                               sizeof(*evaluation.keys));
    for (size_t i = 0; i < n_calls && !status; i++) {
        const struct dg_arg *values = calls[i].inputs->values;

        if (first->request->against)
            values = inputs_for(first, calls[i].inputs);
        else if (first->request->whole)
            values = first->part_inputs;
        status = dg_evaluation_begin(&evaluation, values, err);
        if (!status)
            status = dg_evaluation_run(&evaluation, 0, err);
    }
    for (size_t i = 0; i < answer->n_outputs && !status; i++) {
        struct dg_arg value = {0};
        size_t output = first->request->against ? first->matching.outputs[i] : i;

        if (output != SIZE_MAX)
            status = dg_machine_output(&evaluation.machine, output, &value, err);
        answer->repeats_equal =
            answer->repeats_equal && dg_same_bits(&value, &answer->outputs[i]);
        dg_arg_drop(&value);
    }
    dg_evaluation_close(&evaluation);
    return status;
}

static bool expects(const struct dg_numeric_call *calls, size_t n_calls)
{
    for (size_t i = 0; i < n_calls; i++) {
        if (calls[i].expected)
            return true;
    }
    return false;
}

static enum dg_status run_calls(struct dg_numeric_answer *answer,
                                const struct dg_numeric_request *request,
                                const struct dg_numeric_call *calls, size_t n_calls,
                                bool only_steps, struct dg_error *err)
{
    struct dg_comparison comparison;
    enum dg_status status =
        dg_comparison_open(&comparison, request, expects(calls, n_calls), answer, err);

    comparison.only_steps = only_steps;
    for (size_t i = 0; i < n_calls && !status; i++) {
        status = run_call(&comparison, &calls[i], err);
        if (!status && !only_steps)
            answer->first_of_call[++answer->n_calls] = answer->n_results;
        if (answer->culprit != SIZE_MAX)
            break;
    }
    for (int64_t i = 1; i < request->n_repeats && !status && !only_steps; i++)
        status = repeat(&comparison, calls, n_calls, err);
    answer->seconds = comparison.tested ? comparison.tested->seconds : 0;
    answer->fallbacks = comparison.tested ? comparison.tested->machine.fallbacks : 0;
    for (int which = 0; which < DG_LEGS; which++)
        answer->used_lapack |=
            comparison.evaluations[which].machine.context.used_lapack;
    answer->peak_bytes = dg_host_memory.peak;
    dg_comparison_close(&comparison);
    return status;
}

/* Two files of outputs, by the program's policy. */
static enum dg_status compare_files(struct dg_numeric_answer *answer,
                                    const struct dg_numeric_request *request,
                                    const struct dg_numeric_call *calls, size_t n_calls,
                                    struct dg_error *err)
{
    const struct dg_schedule *schedule = request->schedule;
    struct dg_comparison comparison = {
        .request = request, .answer = answer, .schedule = schedule};
    struct dg_slice *slices =
        dg_alloc(&comparison.memory, schedule->n_slots + 1, sizeof(*slices));
    enum dg_status status = DG_OK;

    dg_slices_of_schedule(slices, schedule);
    for (size_t i = 0; i < n_calls && !status; i++) {
        dg_expected_begin(&comparison.expected, schedule, calls[i].expected);
        dg_expected_begin(&comparison.actual, schedule, calls[i].actual);
        status = dg_comparison_actual(&comparison, slices, err);
        dg_expected_end(&comparison.expected);
        dg_expected_end(&comparison.actual);
        answer->first_of_call[++answer->n_calls] = answer->n_results;
    }
    dg_arena_clear(&comparison.memory);
    return status;
}

/* Steps with substituted inputs give no outputs of the program: those come from a run
 * of its own.
 */
enum dg_status dg_numeric_run(struct dg_numeric_answer *answer,
                              const struct dg_numeric_request *request,
                              const struct dg_numeric_call *calls, size_t n_calls,
                              struct dg_error *err)
{
    struct dg_numeric_request whole = *request;
    enum dg_status status = DG_OK;

    *answer = (struct dg_numeric_answer){.repeats_equal = true, .culprit = SIZE_MAX};
    answer->first_of_call =
        dg_alloc(&answer->memory, n_calls + 1, sizeof(*answer->first_of_call));
    if (n_calls && calls->actual)
        return compare_files(answer, request, calls, n_calls, err);
    whole.each = whole.isolate = whole.bisect = false;
    dg_thread_pool_begin(request->n_threads);
    if (request->isolate)
        status = run_calls(answer, &whole, calls, n_calls, false, err);
    if (!status)
        status = run_calls(answer, request, calls, n_calls, request->isolate, err);
    dg_thread_pool_end();
    return status;
}

void dg_numeric_clear(struct dg_numeric_answer *answer)
{
    for (size_t i = 0; i < answer->n_outputs; i++)
        dg_arg_drop(&answer->outputs[i]);
    free(answer->results);
    free(answer->steps);
    free(answer->not_compared);
    dg_arena_clear(&answer->memory);
    *answer = (struct dg_numeric_answer){.culprit = SIZE_MAX};
}
