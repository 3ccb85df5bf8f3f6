/* Inputs of a call from the values of a file, and expected outputs. */
#include "exec/inputs.h"

#include <stdio.h>

#include "base/text.h"
#include "base/text_set.h"
#include "exec/inputs_parts.h"

bool dg_input_is_user(const struct dg_io *io)
{
    return !io->spec || !strcmp(io->spec, "user_input");
}

bool dg_input_is_given(const struct dg_schedule *schedule, const struct dg_io *io)
{
    return dg_input_is_user(io) && io->slot != DG_IO_LITERAL &&
           io->literal.kind == DG_ARG_NONE &&
           schedule->slots[io->slot].kind == DG_SLOT_INPUT &&
           !(io->kind && !strcmp(io->kind, "none"));
}

void dg_inputs_begin(struct dg_inputs *inputs, const struct dg_schedule *schedule)
{
    *inputs = (struct dg_inputs){.n_values = schedule->n_inputs};
    inputs->values =
        dg_alloc(&inputs->memory, schedule->n_inputs, sizeof(struct dg_arg));
    for (size_t i = 0; i < schedule->n_inputs; i++) {
        if (dg_input_is_user(&schedule->inputs[i]))
            dg_arg_set(&inputs->values[i], &schedule->inputs[i].literal);
    }
}

void dg_inputs_clear(struct dg_inputs *inputs)
{
    for (size_t i = 0; i < inputs->n_values; i++)
        dg_arg_drop(&inputs->values[i]);
    dg_arena_clear(&inputs->memory);
    *inputs = (struct dg_inputs){0};
}

/* A set in use: which value has which name, and which were taken. */
struct taking {
    struct dg_inputs *inputs;
    const struct dg_schedule *schedule;
    const struct dg_value_set *set;
    struct dg_text_set names;
    bool *taken;
    bool compact; /* in<number> counts the given inputs only */
    struct dg_error *err;
};

static enum dg_status index_names(struct taking *taking)
{
    const struct dg_value_set *set = taking->set;

    for (size_t i = 0; i < set->n_values; i++) {
        const char *name = set->values[i].name;

        if (dg_text_set_add(&taking->names, dg_text(name)) != i)
            return dg_fail(taking->err, DG_ERR_FORMAT, "%s is there twice", name);
    }
    return DG_OK;
}

static const struct dg_named_value *value_named(const struct taking *taking,
                                                const char *name)
{
    uint32_t i = name ? dg_text_set_find(&taking->names, dg_text(name)) : DG_NO_TEXT;

    if (i == DG_NO_TEXT || !taking->set->values[i].named)
        return NULL;
    taking->taken[i] = true;
    return &taking->set->values[i];
}

/* "a, b and 3 more" */
static const char *names_of_set(const struct taking *taking)
{
    enum { MOST = 5 };
    const struct dg_value_set *set = taking->set;
    struct dg_writer list = {0};

    for (size_t i = 0; i < set->n_values && i < MOST; i++)
        dg_print(&list, "%s%.60s", i ? ", " : "", set->values[i].name);
    if (set->n_values > MOST)
        dg_print(&list, " and %zu more", set->n_values - MOST);
    if (!set->n_values)
        dg_print(&list, "nothing");
    return dg_keep(&taking->inputs->memory, &list).data;
}

static enum dg_status refuse_missing(struct taking *taking, size_t number, size_t i)
{
    const struct dg_io *io = &taking->schedule->inputs[i];
    char declared[200];

    return dg_fail(taking->err, DG_ERR_FORMAT,
                   "in%zu is missing: input %s is %s; expected the name in%zu%s%s, and "
                   "the file has %s",
                   number, io->name ? io->name : "without a name",
                   dg_declared_text(taking->schedule, i, declared, sizeof(declared)),
                   number, io->name ? " or " : "", io->name ? io->name : "",
                   names_of_set(taking));
}

/* Input `i` by its name or as in<number>; a constant one needs no value. */
static enum dg_status take_named(struct taking *taking, size_t i, size_t number)
{
    const struct dg_io *io = &taking->schedule->inputs[i];
    const struct dg_named_value *value, *by_name = value_named(taking, io->name);
    bool given = dg_input_is_given(taking->schedule, io);
    char key[32];

    snprintf(key, sizeof(key), "in%zu", number);
    value = value_named(taking, key);
    if (value && by_name && value != by_name)
        return dg_fail(taking->err, DG_ERR_FORMAT, "%s and %s are the same input", key,
                       io->name);
    value = value ? value : by_name;
    if (!value)
        return given ? refuse_missing(taking, number, i) : DG_OK;
    if (!given)
        return dg_inputs_hold(taking->schedule, i, value->name, &value->value,
                              taking->err);
    return dg_inputs_put(taking->inputs, taking->schedule, i, value->name,
                         &value->value, taking->err);
}

static enum dg_status refuse_unknown(struct taking *taking, const char *name)
{
    const struct dg_schedule *schedule = taking->schedule;
    const char **names =
        dg_alloc(&taking->inputs->memory, schedule->n_inputs, sizeof(*names));
    size_t n_names = 0, n_given = 0;
    const char *nearest;

    for (size_t i = 0; i < schedule->n_inputs; i++) {
        if (!dg_input_is_given(schedule, &schedule->inputs[i]))
            continue;
        n_given++;
        if (schedule->inputs[i].name)
            names[n_names++] = schedule->inputs[i].name;
    }
    nearest = dg_nearest(name, names, n_names);
    if (nearest)
        return dg_fail(taking->err, DG_ERR_FORMAT,
                       "%s is no input of the program; did you mean %s?", name,
                       nearest);
    return dg_fail(taking->err, DG_ERR_FORMAT,
                   "%s is no input of the program, which takes %zu: in0, in1... or "
                   "their names",
                   name, n_given);
}

static enum dg_status take_all_named(struct taking *taking)
{
    const struct dg_schedule *schedule = taking->schedule;
    enum dg_status status = DG_OK;
    size_t number = 0;

    for (size_t i = 0; !status && i < schedule->n_inputs; i++) {
        if (taking->compact ? dg_input_is_given(schedule, &schedule->inputs[i])
                            : dg_input_is_user(&schedule->inputs[i]))
            status = take_named(taking, i, number++);
    }
    for (size_t i = 0; !status && i < taking->set->n_values; i++) {
        if (!taking->taken[i])
            status = refuse_unknown(taking, taking->set->values[i].name);
    }
    return status;
}

/* Numbers count all of the user's inputs; where that does not fit, those that are
 * given, if that does. */
static enum dg_status take_by_key(struct taking *taking)
{
    enum dg_status status = index_names(taking);
    struct dg_error *err = taking->err, ignored;

    if (status)
        return status;
    status = take_all_named(taking);
    if (!status)
        return status;
    memset(taking->taken, 0, taking->set->n_values * sizeof(bool));
    taking->err = &ignored;
    taking->compact = true;
    if (!take_all_named(taking))
        status = DG_OK;
    taking->err = err;
    return status;
}

/* Values without names: one for each input that is given, or one for each of the user's
 * inputs, constant ones too. */
static enum dg_status take_in_order(struct taking *taking)
{
    const struct dg_schedule *schedule = taking->schedule;
    const struct dg_value_set *set = taking->set;
    size_t n_given = 0, n_user = 0, next = 0;
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < schedule->n_inputs; i++) {
        n_given += dg_input_is_given(schedule, &schedule->inputs[i]);
        n_user += dg_input_is_user(&schedule->inputs[i]);
    }
    if (set->n_values != n_given && set->n_values != n_user)
        return dg_fail(taking->err, DG_ERR_FORMAT,
                       "it holds %zu values; the program takes %zu", set->n_values,
                       n_given);
    for (size_t i = 0; !status && i < schedule->n_inputs; i++) {
        bool given = dg_input_is_given(schedule, &schedule->inputs[i]);

        if (given)
            status = dg_inputs_put(taking->inputs, schedule, i, set->values[next].name,
                                   &set->values[next].value, taking->err);
        next += given ||
                (set->n_values != n_given && dg_input_is_user(&schedule->inputs[i]));
    }
    return status;
}

bool dg_set_has_names(const struct dg_value_set *set)
{
    for (size_t i = 0; i < set->n_values; i++) {
        if (set->values[i].named)
            return true;
    }
    return false;
}

enum dg_status dg_inputs_of_set(struct dg_inputs *inputs,
                                const struct dg_schedule *schedule,
                                const struct dg_value_set *set, struct dg_error *err)
{
    struct taking taking = {
        .inputs = inputs, .schedule = schedule, .set = set, .err = err};
    struct dg_error told;
    enum dg_status status;

    dg_inputs_begin(inputs, schedule);
    inputs->source = dg_copy(&inputs->memory, dg_text(set->path ? set->path : ""));
    taking.taken = dg_alloc(&inputs->memory, set->n_values, sizeof(bool));
    status = dg_set_has_names(set) ? take_by_key(&taking) : take_in_order(&taking);
    if (!status)
        status = dg_inputs_check_sizes(inputs, schedule, err);
    dg_text_set_clear(&taking.names);
    if (!status || !set->path)
        return status;
    told = *err;
    return dg_fail(err, told.status, "%s: %s", set->path, told.text);
}
