/* Expected outputs: which value of a file stands for which output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/text_set.h"
#include "exec/inputs_parts.h"
#include "exec/run.h"

const struct dg_arg *dg_expected_output(const struct dg_plan *plan,
                                        const struct dg_value_set *set, size_t output)
{
    const struct dg_port *port = &plan->outputs[output];
    const struct dg_named_value *value;
    size_t number = 0;
    char key[32];

    if (!dg_is_user_output(port))
        return NULL;
    for (size_t i = 0; i < output; i++)
        number += dg_is_user_output(&plan->outputs[i]);
    if (!dg_set_has_names(set))
        return number < set->n_values ? &set->values[number].value : NULL;
    snprintf(key, sizeof(key), "out%zu", number);
    value = dg_value_set_find(set, key);
    if (!value && port->name)
        value = dg_value_set_find(set, port->name);
    return value ? &value->value : NULL;
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

/* out0, out1...: one too many is a verdict, as of a program that gives too few. */
static bool is_number(const char *name)
{
    size_t digits;

    if (strncmp(name, "out", strlen("out")))
        return false;
    name += strlen("out");
    digits = strspn(name, "0123456789");
    return digits && !name[digits];
}

/* Names of outputs and steps; several results of a step: "sort[1]". */
static void index_names(struct dg_text_set *names, const struct dg_plan *plan)
{
    for (size_t i = 0; i < plan->n_outputs; i++) {
        if (plan->outputs[i].name)
            dg_text_set_add(names, dg_text(plan->outputs[i].name));
    }
    for (size_t i = 0; i < plan->n_steps; i++) {
        if (plan->steps[i].name)
            dg_text_set_add(names, dg_text(plan->steps[i].name));
    }
}

static void list_outputs(struct dg_writer *out, const struct dg_plan *plan)
{
    size_t number = 0;

    for (size_t i = 0; i < plan->n_outputs; i++) {
        if (!dg_is_user_output(&plan->outputs[i]))
            continue;
        dg_print(out, "%sout%zu", number ? ", " : "", number);
        number++;
        if (plan->outputs[i].name)
            dg_print(out, " or %.60s", plan->outputs[i].name);
    }
}

static enum dg_status refuse(const struct dg_plan *plan, const struct dg_value_set *set,
                             struct dg_error *err)
{
    struct dg_writer held = {0}, wanted = {0};

    for (size_t i = 0; i < set->n_values; i++)
        dg_print(&held, "%s%.60s", i ? ", " : "", set->values[i].name);
    list_outputs(&wanted, plan);
    dg_fail(err, DG_ERR_FORMAT, "%s holds %.*s; wanted are %.*s", set->path,
            held.size > 200 ? 200 : (int)held.size, held.data,
            wanted.size > 200 ? 200 : (int)wanted.size, wanted.data);
    dg_writer_clear(&held);
    dg_writer_clear(&wanted);
    return err->status;
}

enum dg_status dg_expected_check(const struct dg_plan *plan,
                                 const struct dg_value_set *set, struct dg_error *err)
{
    struct dg_text_set names = {0};
    enum dg_status status = DG_OK;

    index_names(&names, plan);
    for (size_t i = 0; !status && i < set->n_values; i++) {
        const char *name = set->values[i].name;
        struct dg_text step = {name, strcspn(name, "[")};

        if (set->values[i].named && !is_number(name) &&
            dg_text_set_find(&names, step) == DG_NO_TEXT)
            status = refuse(plan, set, err);
    }
    dg_text_set_clear(&names);
    return status;
}
