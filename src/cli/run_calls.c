/* The calls of a run: inputs and expected outputs, from wherever they come. */
#include "cli/run_calls.h"

#include <stdlib.h>
#include <string.h>

static void make_room(struct dg_run_calls *calls, size_t n)
{
    calls->calls = dg_alloc(&calls->memory, n + 1, sizeof(*calls->calls));
    calls->inputs = dg_alloc(&calls->memory, n + 1, sizeof(*calls->inputs));
    calls->input_sets = dg_alloc(&calls->memory, n + 1, sizeof(*calls->input_sets));
    calls->expected_sets =
        dg_alloc(&calls->memory, n + 1, sizeof(*calls->expected_sets));
    calls->actual_sets = dg_alloc(&calls->memory, n + 1, sizeof(*calls->actual_sets));
}

/* The next call, with its inputs still to be filled in. */
static struct dg_inputs *add_call(struct dg_run_calls *calls,
                                  const struct dg_value_set *expected)
{
    struct dg_inputs *inputs = &calls->inputs[calls->n_calls];

    calls->calls[calls->n_calls++] =
        (struct dg_numeric_call){.inputs = inputs, .expected = expected};
    return inputs;
}

static enum dg_status from_files(struct dg_run_calls *calls,
                                 const struct dg_schedule *schedule,
                                 const struct dg_list *files, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < files->n_items && !status; i++) {
        struct dg_inputs *inputs = add_call(calls, NULL);

        status = dg_value_set_open(&calls->input_sets[i], files->items[i], err);
        if (!status)
            status = dg_inputs_of_set(inputs, schedule, &calls->input_sets[i], err);
        inputs->source = files->items[i];
    }
    return status;
}

static bool is_of(const struct dg_bundle_case *one, const struct dg_schedule *schedule)
{
    return !one->method || !strcmp(one->method, schedule->method);
}

static enum dg_status from_bundle(struct dg_run_calls *calls,
                                  const struct dg_run_program *program,
                                  struct dg_error *err)
{
    const struct dg_bundle *bundle = &program->bundle;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < bundle->n_cases && !status; i++) {
        const struct dg_bundle_case *one = &bundle->cases[i];
        struct dg_inputs *inputs;

        if (!is_of(one, &program->schedule))
            continue;
        inputs = add_call(calls, one->outputs.n_values ? &one->outputs : NULL);
        status = dg_inputs_of_set(inputs, &program->schedule, &one->inputs, err);
        inputs->source = "the test sets of the bundle";
    }
    return status;
}

/* Its test sets may all be of other methods. */
static bool tests_method(const struct dg_run_program *program)
{
    bool found = false;

    for (size_t i = 0; program->bundled && i < program->bundle.n_cases; i++)
        found = found || is_of(&program->bundle.cases[i], &program->schedule);
    return found;
}

static enum dg_status from_samples(struct dg_inputs *inputs, bool *found,
                                   const struct dg_schedule *schedule,
                                   const struct dg_run_program *from,
                                   struct dg_error *err)
{
    *found = false;
    if (!from || from->schedule.is_pte)
        return DG_OK;
    return dg_inputs_of_samples(inputs, found, schedule, from->schedule.method_id,
                                from->input.store, from->input.file, err);
}

/* Samples of the program, or of the one that it is held to; else random ones. */
static enum dg_status from_programs(struct dg_run_calls *calls,
                                    const struct dg_run_program *program,
                                    const struct dg_run_program *against, int64_t seed,
                                    struct dg_error *err)
{
    struct dg_inputs *inputs = add_call(calls, NULL);
    bool found = false;
    enum dg_status status = DG_OK;

    if (seed < 0)
        status = from_samples(inputs, &found, &program->schedule, program, err);
    if (seed < 0 && !status && !found)
        status = from_samples(inputs, &found, &program->schedule, against, err);
    if (status || found) {
        inputs->source = "samples";
        return status;
    }
    dg_inputs_clear(inputs);
    calls->seed = seed < 0 ? 0 : seed;
    status = dg_inputs_random(inputs, &program->schedule, (uint64_t)calls->seed, err);
    inputs->source =
        dg_format(&calls->memory, "random, seed %lld", (long long)calls->seed).data;
    return status;
}

/* One file for each call. */
static enum dg_status add_expected(struct dg_run_calls *calls,
                                   const struct dg_schedule *schedule,
                                   const struct dg_list *files, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    if (files->n_items != calls->n_calls)
        return dg_fail(err, DG_ERR_USAGE,
                       "%zu --expected for %zu call%s: each call needs its own",
                       files->n_items, calls->n_calls, calls->n_calls == 1 ? "" : "s");
    for (size_t i = 0; i < files->n_items && !status; i++) {
        status = dg_value_set_open(&calls->expected_sets[i], files->items[i], err);
        if (!status)
            status = dg_expected_check(schedule, &calls->expected_sets[i], err);
        calls->calls[i].expected = &calls->expected_sets[i];
    }
    return status;
}

enum dg_status dg_run_actual_calls(struct dg_run_calls *calls,
                                   const struct dg_run_program *program,
                                   const struct dg_list *actual,
                                   const struct dg_list *expected, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    *calls = (struct dg_run_calls){.seed = -1};
    make_room(calls, actual->n_items);
    for (size_t i = 0; i < actual->n_items && !status; i++) {
        struct dg_value_set *set = &calls->actual_sets[i];

        add_call(calls, NULL)->source = actual->items[i];
        calls->calls[i].actual = set;
        status = dg_value_set_open(set, actual->items[i], err);
        if (!status)
            status = dg_expected_check(&program->schedule, set, err);
    }
    return status ? status : add_expected(calls, &program->schedule, expected, err);
}

enum dg_status
dg_run_calls(struct dg_run_calls *calls, const struct dg_run_program *program,
             const struct dg_run_program *against, const struct dg_list *inputs,
             const struct dg_list *expected, int64_t seed, struct dg_error *err)
{
    size_t n = inputs->n_items + expected->n_items + program->bundle.n_cases + 1;
    enum dg_status status;

    *calls = (struct dg_run_calls){.seed = -1};
    make_room(calls, n);
    if (inputs->n_items)
        status = from_files(calls, &program->schedule, inputs, err);
    else if (seed < 0 && tests_method(program))
        status = from_bundle(calls, program, err);
    else
        status = from_programs(calls, program, against, seed, err);
    if (!status && expected->n_items)
        status = add_expected(calls, &program->schedule, expected, err);
    return status;
}

void dg_run_calls_clear(struct dg_run_calls *calls)
{
    for (size_t i = 0; i < calls->n_calls; i++) {
        dg_inputs_clear(&calls->inputs[i]);
        dg_value_set_clear(&calls->input_sets[i]);
        dg_value_set_clear(&calls->expected_sets[i]);
        dg_value_set_clear(&calls->actual_sets[i]);
    }
    dg_arena_clear(&calls->memory);
    *calls = (struct dg_run_calls){0};
}
