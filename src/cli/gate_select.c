/* The gate: which rules are meant, and which program of a store. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "cli/against.h"
#include "cli/limits.h"

/* Words of a key as patterns. */
static const char *const *patterns(size_t *n, const struct dg_policy_entries *entries,
                                   struct dg_arena *memory)
{
    const char **words = dg_alloc(memory, entries->n_items + 1, sizeof(*words));

    for (size_t i = 0; i < entries->n_items; i++)
        words[i] = entries->items[i].value.data;
    *n = entries->n_items;
    return words;
}

/* A budget that is taken away, or one for growth where there is nothing older to
 * compare with: the program is new, or of the policy, which the command may do without
 * or was told so. */
static bool is_left_out(const struct dg_gate *gate, const struct dg_policy_entry *entry)
{
    if (!entry->name.data || !entry->value.data)
        return false;
    if (dg_policy_lifts(entry))
        return true;
    if (!dg_policy_grows(entry))
        return false;
    return gate->is_new || (!entry->option && !dg_against_is_set(&gate->target) &&
                            (gate->target.against || gate->growth_may_wait));
}

/* Words of a key as the command line would have given them. */
static enum dg_status list(struct dg_list *list, const struct dg_gate *gate,
                           enum dg_policy_key key, struct dg_arena *memory,
                           struct dg_error *err)
{
    const struct dg_policy_entries *entries = &gate->part->keys[key];

    list->n_items = 0;
    for (size_t i = 0; i < entries->n_items; i++) {
        const struct dg_policy_entry *entry = &entries->items[i];

        if (i == DG_LIST_MOST)
            return dg_fail(err, DG_ERR_USAGE, "%s: more than %d of %s",
                           dg_policy_origin(&gate->policy.policy, entry, memory).data,
                           DG_LIST_MOST, dg_policy_keys[key].name);
        if (!is_left_out(gate, entry))
            list->items[list->n_items++] = dg_policy_option_item(entry, memory);
    }
    return DG_OK;
}

/* Whether the command line says which rules run: then those of the policy that it
 * leaves out are left out on purpose. */
static bool chooses_rules(const struct dg_gate *gate)
{
    const struct dg_policy_part *given = &gate->policy.given;

    return given->keys[DG_POLICY_SELECT].n_items ||
           given->keys[DG_POLICY_IGNORE].n_items;
}

/* A limit whose rule does not run would pass whatever the program is. */
static enum dg_status check_limits(const struct dg_gate *gate, struct dg_arena *memory,
                                   struct dg_error *err)
{
    const struct dg_policy_entries *budgets = &gate->part->keys[DG_POLICY_BUDGETS];

    for (size_t i = 0; i < budgets->n_items; i++) {
        const struct dg_policy_entry *entry = &budgets->items[i];
        bool meant = dg_policy_lifts(entry) || (!entry->option && chooses_rules(gate));
        const char *id =
            dg_format(memory, "budget/%.*s", (int)strcspn(entry->name.data, "."),
                      entry->name.data)
                .data;

        if (!meant && !dg_selects(&gate->selection, id))
            return dg_fail(err, DG_ERR_USAGE, "%s: --select or --ignore leaves %s out",
                           dg_policy_option_said(&gate->policy, entry, memory), id);
    }
    return DG_OK;
}

/* The limits that policy and command line set for numbers. */
static void set_tolerances(struct dg_gate *gate)
{
    const struct dg_policy_entries *numerics = &gate->part->keys[DG_POLICY_NUMERICS];
    struct dg_limits *limits = &gate->numerics.limits;

    for (size_t i = 0; i < numerics->n_items; i++) {
        const struct dg_policy_entry *entry = &numerics->items[i];
        double number = strtod(entry->value.data, NULL);

        if (dg_text_is(entry->name, "rtol"))
            limits->rtol = number;
        else if (dg_text_is(entry->name, "atol"))
            limits->atol = number;
        else
            limits->min_snr = number;
    }
}

enum dg_status dg_gate_fit(struct dg_gate *gate, const char *path,
                           struct dg_arena *memory, struct dg_error *err)
{
    const struct dg_policy *policy = &gate->policy.policy;
    struct dg_selection *selection = &gate->selection;
    const char *name =
        path && policy->path ? dg_policy_name(policy, path, memory) : NULL;
    const struct dg_policy_part *part =
        dg_policy_for(policy, name, &gate->policy.given, memory);
    enum dg_status status;

    gate->program = path;
    gate->part = part;
    gate->target.against = dg_gate_word(gate, DG_POLICY_AGAINST, NULL);
    gate->target.runtime = dg_gate_word(gate, DG_POLICY_RUNTIME, NULL);
    gate->target.glibc = dg_gate_word(gate, DG_POLICY_GLIBC, NULL);
    gate->is_new =
        path && dg_policy_has_growth(part) && dg_against_is_new(&gate->target, path);
    selection->select =
        patterns(&selection->n_select, &part->keys[DG_POLICY_SELECT], memory);
    if (!selection->n_select)
        selection->select = NULL;
    selection->ignore =
        patterns(&selection->n_ignore, &part->keys[DG_POLICY_IGNORE], memory);
    set_tolerances(gate);
    status = list(&gate->target.limits, gate, DG_POLICY_BUDGETS, memory, err);
    if (!status)
        status = list(&gate->target.ops, gate, DG_POLICY_OPS, memory, err);
    if (!status)
        status = list(&gate->target.methods, gate, DG_POLICY_METHODS, memory, err);
    if (!status)
        status = list(&gate->target.shims, gate, DG_POLICY_SHIMS, memory, err);
    if (!status)
        status = list(&gate->target.gpus, gate, DG_POLICY_GPU, memory, err);
    if (!status)
        status = list(&gate->target.backends, gate, DG_POLICY_BACKENDS, memory, err);
    return status ? status : check_limits(gate, memory, err);
}

enum dg_status dg_gate_fit_input(struct dg_gate *gate, const struct dg_input *input,
                                 struct dg_arena *memory, struct dg_error *err)
{
    const char *program = input->path;
    struct dg_rows rows = dg_rows_all(
        input->store, "SELECT path FROM artifact WHERE companion_of IS NULL", err);
    size_t n = 0;
    enum dg_status status;

    for (; dg_rows_next(&rows); n++)
        program = dg_rows_keep(memory, &rows, 0).data;
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status && n > 1 && gate->policy.policy.n_parts)
        status = dg_fail(err, DG_ERR_USAGE,
                         "the store holds %zu programs, and %.160s has settings for"
                         " some: choose one with --artifact",
                         n, gate->policy.policy.path);
    if (!status && n > 1 && dg_against_is_set(&gate->target) && dg_against_grows(gate))
        status = dg_fail(err, DG_ERR_USAGE,
                         "the store holds %zu programs, and limits of growth compare"
                         " one: choose it with --artifact",
                         n);
    return status ? status : dg_gate_fit(gate, program, memory, err);
}

static struct dg_list one(const char *word)
{
    return (struct dg_list){{word}, word != NULL};
}

/* "rtol=0.001" of those that are given. */
static struct dg_list tolerances(const struct dg_limits *limits,
                                 struct dg_arena *memory)
{
    const struct {
        const char *name;
        double number;
    } all[] = {
        {"rtol", limits->rtol}, {"atol", limits->atol}, {"min-snr", limits->min_snr}};
    struct dg_list list = {0};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        if (all[i].number >= 0)
            list.items[list.n_items++] =
                dg_format(memory, "%s=%.17g", all[i].name, all[i].number).data;
    }
    return list;
}

/* What the command line said, as a part of the policy: the last one. */
static void give(struct dg_gate *gate, struct dg_arena *memory)
{
    const struct dg_list fail_on = one(gate->fail_on),
                         against = one(gate->target.against),
                         runtime = one(gate->target.runtime),
                         glibc = one(gate->target.glibc),
                         numerics = tolerances(&gate->numerics.limits, memory);
    const struct {
        enum dg_policy_key key;
        const struct dg_list *list;
        const char *name;
    } all[] = {
        {DG_POLICY_FAIL_ON, &fail_on, "--fail-on"},
        {DG_POLICY_SELECT, &gate->select, "--select"},
        {DG_POLICY_IGNORE, &gate->ignore, "--ignore"},
        {DG_POLICY_BUDGETS, &gate->target.limits, "--limit"},
        {DG_POLICY_NUMERICS, &numerics, "the command line"},
        {DG_POLICY_AGAINST, &against, "--against"},
        {DG_POLICY_OPS, &gate->target.ops, "--ops"},
        {DG_POLICY_RUNTIME, &runtime, "--runtime"},
        {DG_POLICY_SHIMS, &gate->target.shims, "--shims"},
        {DG_POLICY_GPU, &gate->target.gpus, "--gpu"},
        {DG_POLICY_GLIBC, &glibc, "--glibc"},
        {DG_POLICY_METHODS, &gate->target.methods, "--methods"},
        {DG_POLICY_BACKENDS, &gate->target.backends, "--backends"},
        {DG_POLICY_RULES, &gate->user.folders, "--rules"},
    };

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        dg_policy_option_give(&gate->policy, all[i].key, all[i].list, all[i].name,
                              memory);
}

const char *dg_gate_word(const struct dg_gate *gate, enum dg_policy_key key,
                         const char *given)
{
    const struct dg_policy_entry *entry = dg_policy_last(gate->part, key);

    return given ? given : entry ? entry->value.data : NULL;
}

/* What holds for all programs, before rules of the user are read. */
static enum dg_status read_policy(struct dg_gate *gate, struct dg_arena *memory,
                                  struct dg_error *err)
{
    enum dg_status status = dg_policy_option_read(&gate->policy, memory, err);
    const char *seconds;

    if (status)
        return status;
    give(gate, memory);
    gate->part = dg_policy_for(&gate->policy.policy, NULL, &gate->policy.given, memory);
    gate->fail_on = dg_gate_word(gate, DG_POLICY_FAIL_ON, NULL);
    status = list(&gate->user.folders, gate, DG_POLICY_RULES, memory, err);
    seconds = dg_gate_word(gate, DG_POLICY_RULES_TIMEOUT, NULL);
    if (seconds && gate->user.folders.n_items && gate->user.seconds <= 0)
        gate->user.seconds = strtod(seconds, NULL);
    return status;
}

enum dg_status dg_gate_prepare(struct dg_gate *gate, const char *command,
                               struct dg_arena *memory, struct dg_error *err)
{
    enum dg_status status = read_policy(gate, memory, err);

    if (!status)
        status = dg_user_rules_load(&gate->selection.user, &gate->user, memory, err);
    if (!status && gate->select.n_items &&
        !gate->policy.given.keys[DG_POLICY_SELECT].n_items)
        status = dg_fail(err, DG_ERR_USAGE,
                         "--select names no rule; expected an id, a"
                         " family or a pattern");
    if (!status)
        status =
            dg_policy_option_check(&gate->policy, command, gate->selection.user, err);
    if (!status)
        status = dg_gate_fit(gate, NULL, memory, err);
    return status ? status : dg_against_check(gate, err);
}

void dg_gate_clear(struct dg_gate *gate)
{
    dg_policy_option_clear(&gate->policy);
}
