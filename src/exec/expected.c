/* Expected outputs: which value of a file stands for which output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/text_set.h"
#include "exec/inputs_parts.h"
#include "exec/run.h"

static bool is_input_mutation(const struct dg_io *io)
{
    return io->spec && !strcmp(io->spec, "user_input_mutation");
}

/* The number behind "out"; -1: another name. */
static int64_t number_of(const char *name)
{
    size_t digits;

    if (strncmp(name, "out", strlen("out")))
        return -1;
    name += strlen("out");
    digits = strspn(name, "0123456789");
    return digits && !name[digits] ? strtoll(name, NULL, 10) : -1;
}

/* Of named values those count that are numbered, with what was left out. */
static size_t count_numbered(const struct dg_value_set *set)
{
    size_t n = 0;

    for (size_t i = 0; i < set->n_values; i++) {
        int64_t number = number_of(set->values[i].name);

        if (number >= 0 && (size_t)number >= n)
            n = (size_t)number + 1;
    }
    return n;
}

/* Whether a step of a .pt2 writes into what the user gives, maybe through a view: no
 * output says so before it is decomposed. */
static bool writes_inputs(const struct dg_schedule *schedule)
{
    bool *shows_given = calloc(schedule->n_slots + 1, sizeof(*shows_given));
    bool writes = false;

    if (!shows_given)
        dg_out_of_memory();
    for (size_t i = 0; i < schedule->n_inputs; i++) {
        const struct dg_io *io = &schedule->inputs[i];

        if (io->slot != DG_IO_LITERAL)
            shows_given[io->slot] |= dg_input_is_given(schedule, io);
    }
    for (size_t i = 0; i < schedule->n_steps && !schedule->is_pte && !writes; i++) {
        const struct dg_step *step = &schedule->steps[i];
        bool in_place = step->variant == DG_VARIANT_IN_PLACE;

        if (!step->kernel || !(step->kernel->view || in_place) || !step->n_args ||
            step->args[0].kind != DG_OPERAND_SLOT)
            continue;
        if (step->n_results && step->variant != DG_VARIANT_COPY)
            shows_given[step->results[0]] = shows_given[step->args[0].slot];
        writes = in_place && shows_given[step->args[0].slot];
    }
    free(shows_given);
    return writes;
}

/* None and strings have no key in files of arrays. */
static bool may_have_key(const struct dg_io *io)
{
    return !io->kind || (strcmp(io->kind, "none") && strcmp(io->kind, "string"));
}

/* What the set has as many values as. */
static void find_form(struct dg_expected *expected, const struct dg_schedule *schedule)
{
    size_t n_mutations = 0, last = 0, wanted;

    for (size_t i = 0; i < schedule->n_outputs; i++) {
        const struct dg_io *io = &schedule->outputs[i];

        expected->n_users += dg_is_user_output(io);
        n_mutations += is_input_mutation(io);
        if (dg_is_user_output(io) && may_have_key(io))
            last = expected->n_users;
    }
    wanted = expected->has_names ? last : expected->n_users;
    if (!expected->n_values || expected->n_values == wanted)
        return;
    expected->mutations = n_mutations && expected->n_values == wanted + n_mutations;
    expected->unpaired = !expected->mutations &&
                         expected->n_values != expected->n_users &&
                         (n_mutations || writes_inputs(schedule));
}

static bool belongs(const struct dg_expected *expected, const struct dg_io *io)
{
    return !expected->unpaired &&
           (dg_is_user_output(io) || (expected->mutations && is_input_mutation(io)));
}

/* Of values of one name the first counts. */
static void index_values(struct dg_expected *expected)
{
    const struct dg_value_set *set = expected->set;

    expected->of_name =
        dg_alloc(&expected->memory, set->n_values + 1, sizeof(*expected->of_name));
    for (size_t i = 0; i < set->n_values; i++) {
        uint32_t n_names = expected->names.n_texts;
        uint32_t number =
            dg_text_set_add(&expected->names, dg_text(set->values[i].name));

        if (number == n_names)
            expected->of_name[number] = &set->values[i].value;
    }
}

static const struct dg_arg *numbered(const struct dg_expected *expected, size_t number,
                                     const char *name)
{
    const struct dg_value_set *set = expected->set;
    const struct dg_arg *value;
    char key[32];

    if (!expected->has_names)
        return number < set->n_values ? &set->values[number].value : NULL;
    snprintf(key, sizeof(key), "out%zu", number);
    value = dg_expected_named(expected, key);
    return value || !name ? value : dg_expected_named(expected, name);
}

void dg_expected_begin(struct dg_expected *expected, const struct dg_schedule *schedule,
                       const struct dg_value_set *set)
{
    size_t number = 0;

    *expected = (struct dg_expected){.set = set};
    if (!set)
        return;
    expected->has_names = dg_set_has_names(set);
    expected->n_values = expected->has_names ? count_numbered(set) : set->n_values;
    find_form(expected, schedule);
    index_values(expected);
    expected->outputs = dg_alloc(&expected->memory, schedule->n_outputs + 1,
                                 sizeof(*expected->outputs));
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        const struct dg_io *io = &schedule->outputs[i];
        struct dg_expected_output *output = &expected->outputs[i];

        output->belongs = belongs(expected, io);
        if (output->belongs)
            output->value = numbered(expected, number++, io->name);
    }
}

void dg_expected_end(struct dg_expected *expected)
{
    dg_text_set_clear(&expected->names);
    dg_arena_clear(&expected->memory);
    *expected = (struct dg_expected){0};
}

const struct dg_arg *dg_expected_named(const struct dg_expected *expected,
                                       const char *name)
{
    uint32_t number = dg_text_set_find(&expected->names, dg_text(name));

    return number == DG_NO_TEXT ? NULL : expected->of_name[number];
}

struct dg_arg dg_expected_like(const struct dg_arg *expected, const struct dg_arg *own)
{
    struct dg_arg scalar;

    if (!expected)
        return (struct dg_arg){0};
    if (own->kind != DG_ARG_INT && own->kind != DG_ARG_BOOL &&
        own->kind != DG_ARG_FLOAT)
        return *expected;
    scalar = dg_scalar_of(expected);
    if (own->kind == DG_ARG_FLOAT && scalar.kind == DG_ARG_INT)
        scalar = (struct dg_arg){DG_ARG_FLOAT, {.real = (double)scalar.as.integer}};
    return scalar;
}

/* Names of outputs and steps; several results of a step: "sort[1]". */
static void index_names(struct dg_text_set *names, const struct dg_schedule *schedule)
{
    for (size_t i = 0; i < schedule->n_outputs; i++) {
        if (schedule->outputs[i].name)
            dg_text_set_add(names, dg_text(schedule->outputs[i].name));
    }
    for (size_t i = 0; i < schedule->n_steps; i++) {
        if (schedule->steps[i].name)
            dg_text_set_add(names, dg_text(schedule->steps[i].name));
    }
}

static void list_outputs(struct dg_writer *out, const struct dg_schedule *schedule)
{
    size_t number = 0;

    for (size_t i = 0; i < schedule->n_outputs; i++) {
        if (!dg_is_user_output(&schedule->outputs[i]))
            continue;
        dg_print(out, "%sout%zu", number ? ", " : "", number);
        number++;
        if (schedule->outputs[i].name)
            dg_print(out, " or %.60s", schedule->outputs[i].name);
    }
}

static enum dg_status refuse(const struct dg_schedule *schedule,
                             const struct dg_value_set *set, struct dg_error *err)
{
    struct dg_writer held = {0}, wanted = {0};

    for (size_t i = 0; i < set->n_values; i++)
        dg_print(&held, "%s%.60s", i ? ", " : "", set->values[i].name);
    list_outputs(&wanted, schedule);
    dg_fail(err, DG_ERR_FORMAT, "%s holds %.*s; wanted are %.*s", set->path,
            held.size > 200 ? 200 : (int)held.size, held.data,
            wanted.size > 200 ? 200 : (int)wanted.size, wanted.data);
    dg_writer_clear(&held);
    dg_writer_clear(&wanted);
    return err->status;
}

enum dg_status dg_expected_check(const struct dg_schedule *schedule,
                                 const struct dg_value_set *set, struct dg_error *err)
{
    struct dg_text_set names = {0};
    enum dg_status status = DG_OK;

    index_names(&names, schedule);
    for (size_t i = 0; !status && i < set->n_values; i++) {
        const char *name = set->values[i].name;
        struct dg_text step = {name, strcspn(name, "[")};

        /* One number too many is a verdict, as of a program that gives too few. */
        if (set->values[i].named && number_of(name) < 0 &&
            dg_text_set_find(&names, step) == DG_NO_TEXT)
            status = refuse(schedule, set, err);
    }
    dg_text_set_clear(&names);
    return status;
}
