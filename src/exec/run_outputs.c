/* The outputs of a call: what a user sees of it, then what it wrote to its buffers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/run_parts.h"

/* Values that all evaluations have for one output. */
static enum dg_status place_of(struct dg_comparison *comparison, size_t output,
                               struct dg_place *place, struct dg_error *err)
{
    const struct dg_io *io = &comparison->schedule->outputs[output];
    enum dg_status status = DG_OK;

    *place = (struct dg_place){.slot = io->slot};
    if (io->slot != DG_IO_LITERAL)
        place->slice = *comparison->slices[io->slot];
    for (int which = 0; which < DG_LEGS && !status; which++) {
        struct dg_evaluation *evaluation = &comparison->evaluations[which];
        size_t there = which == DG_EVALUATION_TESTED && comparison->request->against
                           ? comparison->matching.outputs[output]
                           : output;

        if (which == DG_EVALUATION_TESTED && comparison->kept_outputs)
            dg_arg_set(&place->values[which], &comparison->kept_outputs[output]);
        else if (evaluation->open && !evaluation->lost && there != SIZE_MAX)
            status = dg_machine_output(&evaluation->machine, there,
                                       &place->values[which], err);
    }
    return status;
}

static struct dg_numeric_result *new_result(struct dg_comparison *comparison,
                                            const char *name)
{
    struct dg_numeric_answer *answer = comparison->answer;
    struct dg_numeric_result *result = DG_APPEND(answer->results, answer->n_results);

    result->step = DG_NO_STEP;
    result->tested = SIZE_MAX;
    result->name = dg_copy(&answer->memory, dg_text(name));
    result->type = DG_TYPE_NONE;
    return result;
}

static const char *output_name(struct dg_comparison *comparison, size_t output)
{
    const char *name = comparison->schedule->outputs[output].name;

    return name ? name
                : dg_format(&comparison->answer->memory, "output %zu", output).data;
}

static void fail(struct dg_numeric_result *result, const char *why)
{
    dg_judge(&result->judgement,
             &(struct dg_evidence){&(struct dg_arg){0}, &(struct dg_arg){0}});
    result->counted = true;
    result->judgement.verdict = DG_VERDICT_FAIL;
    snprintf(result->judgement.why, sizeof(result->judgement.why), "%.200s", why);
}

/* Which output is which cannot be told. */
static void skip_unpaired(struct dg_numeric_result *result, size_t n_outputs,
                          size_t n_others)
{
    dg_judge(&result->judgement,
             &(struct dg_evidence){&(struct dg_arg){0}, &(struct dg_arg){0}});
    result->counted = true;
    result->judgement.verdict = DG_VERDICT_SKIP;
    snprintf(result->judgement.why, sizeof(result->judgement.why),
             "%zu output%s against %zu: not paired", n_outputs,
             n_outputs == 1 ? "" : "s", n_others);
}

static bool needs_key(const struct dg_arg *value)
{
    return value->kind != DG_ARG_NONE && value->kind != DG_ARG_STRING &&
           value->kind != DG_ARG_UNKNOWN;
}

static void judge_expected(struct dg_comparison *comparison,
                           struct dg_numeric_result *result, struct dg_place *place)
{
    const struct dg_expected *expected = &comparison->expected;
    const struct dg_expected_output *output = &expected->outputs[result->output];

    place->expected = output->value;
    dg_comparison_judge(comparison, result, place);
    if (expected->unpaired)
        skip_unpaired(result, expected->n_users, expected->n_values);
    else if (output->belongs && !output->value &&
             needs_key(&place->values[DG_EVALUATION_REFERENCE]))
        fail(result, "the expected values have none for this output");
}

static void judge_value(struct dg_comparison *comparison, size_t output,
                        const char *name, struct dg_place *place)
{
    const struct dg_matching *matching = &comparison->matching;
    struct dg_numeric_result *result = new_result(comparison, name);

    result->output = output;
    result->tested = comparison->request->against ? matching->outputs[output] : output;
    if (comparison->expected.set)
        judge_expected(comparison, result, place);
    else
        dg_comparison_judge(comparison, result, place);
    if (comparison->request->against && matching->outputs[output] == SIZE_MAX)
        skip_unpaired(result, matching->n_users, matching->n_other_users);
}

/* Item `item` of what the evaluations have, which stays theirs. */
static struct dg_place item_of(const struct dg_place *place, size_t item)
{
    struct dg_place one = *place;

    dg_slice_item(&one.slice, &place->slice, (int64_t)item);

    for (int which = 0; which < DG_LEGS; which++) {
        const struct dg_arg *list = &place->values[which];

        if (list->kind == DG_ARG_LIST)
            one.values[which] = item < list->as.list.n_items ? list->as.list.items[item]
                                                             : (struct dg_arg){0};
    }
    return one;
}

/* A part may end in a node of several results: each of them is judged. */
static void judge_output(struct dg_comparison *comparison, size_t output,
                         struct dg_place *place)
{
    const struct dg_arg *own = &place->values[DG_EVALUATION_REFERENCE];
    const char *name = output_name(comparison, output);

    if (own->kind != DG_ARG_LIST) {
        judge_value(comparison, output, name, place);
        return;
    }
    for (size_t i = 0; i < own->as.list.n_items; i++) {
        struct dg_place one = item_of(place, i);
        char item[240];

        snprintf(item, sizeof(item), "%.160s[%zu]", name, i);
        judge_value(comparison, output, item, &one);
    }
}

/* Keys out0... that the program has no output for. */
static void judge_extra(struct dg_comparison *comparison,
                        const struct dg_expected *expected)
{
    size_t n_values = expected->set ? expected->set->n_values : 0;

    if (expected->mutations || expected->unpaired)
        return;
    for (size_t i = 0; i < n_values; i++) {
        const struct dg_named_value *value = &expected->set->values[i];
        const char *digits = value->named && !strncmp(value->name, "out", 3)
                                 ? value->name + 3
                                 : value->name;
        char *end = NULL;
        unsigned long long number = strtoull(digits, &end, 10);

        if (*digits >= '0' && *digits <= '9' && !*end && number >= expected->n_users &&
            (value->named ? digits != value->name : true))
            fail(new_result(comparison, value->name), "the program has no such output");
    }
}

static void count(struct dg_numeric_answer *answer, size_t from)
{
    for (size_t i = from; i < answer->n_results; i++) {
        if (answer->results[i].counted)
            answer->counts[answer->results[i].judgement.verdict]++;
    }
}

/* Writes outside of what a kernel was given make all results doubtful. */
static void check_guards(struct dg_comparison *comparison, size_t from)
{
    struct dg_numeric_answer *answer = comparison->answer;
    const struct dg_device *device = comparison->request->device;
    uint64_t damaged = dg_host_memory.damaged - comparison->damaged;

    if (device && device->memory && device->memory != &dg_host_memory)
        damaged += device->memory->damaged;
    for (size_t i = from; i < answer->n_results && damaged; i++) {
        fail(&answer->results[i],
             "a kernel wrote outside of its result: guard zones are damaged");
    }
}

static void keep_outputs(struct dg_comparison *comparison)
{
    struct dg_numeric_answer *answer = comparison->answer;

    for (size_t i = 0; i < answer->n_outputs; i++)
        dg_arg_drop(&answer->outputs[i]);
    answer->n_outputs = comparison->schedule->n_outputs;
    answer->outputs =
        dg_alloc(&answer->memory, answer->n_outputs + 1, sizeof(*answer->outputs));
}

static void describe(struct dg_comparison *comparison, struct dg_numeric_result *result,
                     const struct dg_arg *value)
{
    char shape[400];

    if (value->kind != DG_ARG_TENSOR)
        return;
    result->type = value->as.tensor->type;
    result->shape =
        dg_copy(&comparison->answer->memory,
                dg_text(dg_shape_text(value->as.tensor, shape, sizeof(shape))));
}

/* None, strings and constants need not be in files. */
static bool must_be_there(const struct dg_io *io)
{
    return io->slot != DG_IO_LITERAL && io->kind && strcmp(io->kind, "none") &&
           strcmp(io->kind, "string");
}

/* One output of both files; and of the program, which says what form it has. */
static enum dg_status judge_actual(struct dg_comparison *comparison, size_t output,
                                   const struct dg_slice *slices, struct dg_error *err)
{
    const struct dg_io *io = &comparison->schedule->outputs[output];
    const struct dg_arg *expected = comparison->expected.outputs[output].value;
    const struct dg_arg *actual = comparison->actual.outputs[output].value;
    struct dg_numeric_result *result;
    struct dg_arg reference, tested;
    struct dg_evidence evidence = {&reference, &tested, NULL, NULL, 0};
    char why[200];
    enum dg_status status;

    if (!expected && !actual && !must_be_there(io))
        return DG_OK;
    result = new_result(comparison, output_name(comparison, output));
    result->output = result->tested = output;
    if (!expected || !actual) {
        fail(result, expected  ? "the actual values have none for this output"
                     : !actual ? "neither file has a value for this output"
                               : "the expected values have none for this output");
        return DG_OK;
    }
    reference = dg_expected_like(expected, actual);
    tested = dg_expected_like(actual, expected);
    if (io->slot != DG_IO_LITERAL) {
        dg_evidence_take(&evidence, &slices[io->slot]);
        result->tolerance = evidence.tolerance;
    }
    evidence.given = comparison->request->given;
    describe(comparison, result, &tested);
    dg_judge(&result->judgement, &evidence);
    status = dg_hold_to_declared(why, comparison, io->slot, &tested, err);
    if (*why && result->judgement.verdict != DG_VERDICT_FAIL)
        fail(result, why);
    result->counted = true;
    return status;
}

/* Whether one of two files has another number of values than there are outputs. */
static bool is_unpaired(struct dg_comparison *comparison, size_t output)
{
    const struct dg_expected *sets[] = {&comparison->expected, &comparison->actual};

    if (!dg_is_user_output(&comparison->schedule->outputs[output]))
        return false;
    for (int i = 0; i < 2; i++) {
        if (sets[i]->unpaired) {
            skip_unpaired(new_result(comparison, output_name(comparison, output)),
                          sets[i]->n_users, sets[i]->n_values);
            return true;
        }
    }
    return false;
}

enum dg_status dg_comparison_actual(struct dg_comparison *comparison,
                                    const struct dg_slice *slices, struct dg_error *err)
{
    size_t from = comparison->answer->n_results;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < comparison->schedule->n_outputs && !status; i++) {
        if (is_unpaired(comparison, i))
            continue;
        if (comparison->expected.outputs[i].belongs &&
            comparison->actual.outputs[i].belongs)
            status = judge_actual(comparison, i, slices, err);
    }
    judge_extra(comparison, &comparison->expected);
    judge_extra(comparison, &comparison->actual);
    count(comparison->answer, from);
    return status;
}

/* Of what is no output of the user. */
static bool is_judged(const struct dg_comparison *comparison, size_t output)
{
    const struct dg_expected *expected = &comparison->expected;

    return !comparison->request->against &&
           (!expected->set || expected->outputs[output].belongs);
}

enum dg_status dg_comparison_outputs(struct dg_comparison *comparison,
                                     struct dg_error *err)
{
    size_t from = comparison->answer->n_results;
    enum dg_status status = DG_OK;

    keep_outputs(comparison);
    for (int users = 1; users >= 0; users--) {
        for (size_t i = 0; i < comparison->schedule->n_outputs && !status; i++) {
            struct dg_place place;

            if (dg_is_user_output(&comparison->schedule->outputs[i]) != users ||
                (!users && !is_judged(comparison, i)))
                continue;
            status = place_of(comparison, i, &place, err);
            if (!status) {
                judge_output(comparison, i, &place);
                dg_arg_set(&comparison->answer->outputs[i],
                           &place.values[comparison->tested - comparison->evaluations]);
            }
            dg_place_drop(&place);
        }
    }
    judge_extra(comparison, &comparison->expected);
    check_guards(comparison, from);
    count(comparison->answer, from);
    return status;
}
