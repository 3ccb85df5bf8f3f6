/* --config: the policy of a gate, and what the command line says beside it. */
#include "cli/policy_option.h"

#include <stdlib.h>
#include <string.h>

#include "cli/limits.h"

enum dg_status dg_policy_option_read(struct dg_policy_option *option,
                                     struct dg_arena *memory, struct dg_error *err)
{
    const char *path = option->config;

    if (path && option->none)
        return dg_fail(err, DG_ERR_USAGE,
                       "--config and --no-config contradict each other");
    if (!path && !option->none && dg_policy_find(&path, memory, err))
        return err->status;
    return path ? dg_policy_read(&option->policy, path, err) : DG_OK;
}

void dg_policy_option_clear(struct dg_policy_option *option)
{
    dg_policy_clear(&option->policy);
}

static void give(struct dg_policy_option *option, enum dg_policy_key key,
                 struct dg_policy_entry entry, struct dg_arena *memory)
{
    const char *equals = strchr(entry.value.data, '=');

    if (dg_policy_keys[key].shape == DG_POLICY_NAMED) {
        entry.name = entry.value;
        entry.value = (struct dg_text){0};
        if (equals) {
            entry.name.size = (size_t)(equals - entry.name.data);
            entry.name = dg_copy_text(memory, entry.name);
            entry.value = dg_text(equals + 1);
        }
    }
    dg_policy_add(&option->given.keys[key], entry, memory);
}

/* Of patterns "a,b" is two; paths may have commas. */
void dg_policy_option_give(struct dg_policy_option *option, enum dg_policy_key key,
                           const struct dg_list *list, const char *name,
                           struct dg_arena *memory)
{
    bool several = key == DG_POLICY_SELECT || key == DG_POLICY_IGNORE;

    for (size_t i = 0; i < list->n_items; i++) {
        char *item = dg_copy(memory, dg_text(list->items[i])), *rest = NULL;
        char *word = several ? strtok_r(item, ", ", &rest) : item;

        for (; word; word = several ? strtok_r(NULL, ", ", &rest) : NULL)
            give(option, key,
                 (struct dg_policy_entry){.value = dg_text(word), .option = name},
                 memory);
    }
}

const char *dg_policy_option_item(const struct dg_policy_entry *entry,
                                  struct dg_arena *memory)
{
    return !entry->name.data ? entry->value.data
           : !entry->value.data
               ? entry->name.data
               : dg_format(memory, "%s=%s", entry->name.data, entry->value.data).data;
}

const char *dg_policy_option_said(const struct dg_policy_option *option,
                                  const struct dg_policy_entry *budget,
                                  struct dg_arena *memory)
{
    return dg_format(memory, "%s%s %.80s",
                     dg_policy_origin(&option->policy, budget, memory).data,
                     budget->option ? "" : ": budgets:",
                     dg_policy_option_item(budget, memory))
        .data;
}

/* Where a word stands, or the command that it was given to. */
static const char *blame(const struct dg_policy_option *option, const char *command,
                         const struct dg_policy_entry *entry, struct dg_arena *memory)
{
    return entry->option ? command
                         : dg_policy_origin(&option->policy, entry, memory).data;
}

/* A pattern that means no rule is a mistake: tell which one is near. */
static enum dg_status check_pattern(const char *pattern, const char *where,
                                    const struct dg_verifier *user,
                                    struct dg_error *err)
{
    struct dg_arena memory = {0};
    const struct dg_verifier *v;
    const char **names = NULL, *near;
    size_t n = 0;
    bool found = false;

    for (size_t i = 0; (v = dg_verifier_at(i, user)); i++) {
        *DG_APPEND(names, n) = v->name;
        for (const struct dg_rule *rule = v->rules; rule->name; rule++) {
            const char *id = dg_format(&memory, "%s/%s", v->name, rule->name).data;

            found = found || dg_rule_matches(pattern, id);
            *DG_APPEND(names, n) = id;
        }
    }
    near = dg_nearest(pattern, names, n);
    if (!found)
        dg_fail(err, DG_ERR_USAGE, "%s: no rule \"%.80s\"%s%s%s", where, pattern,
                near                          ? "; did you mean "
                : strncmp(pattern, "user", 4) ? "; see delegraph rules"
                                              : "; rules of your own need --rules DIR",
                near ? near : "", near ? "?" : "");
    free(names);
    dg_arena_clear(&memory);
    return found ? DG_OK : err->status;
}

struct check {
    const struct dg_policy_option *option;
    const char *command;
    const struct dg_verifier *user;
    struct dg_arena memory;
    struct dg_error *err;
};

static enum dg_status check_rules(struct check *check,
                                  const struct dg_policy_entries *entries, bool named)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < entries->n_items && !status; i++) {
        const struct dg_policy_entry *entry = &entries->items[i];

        status =
            check_pattern(named ? entry->name.data : entry->value.data,
                          blame(check->option, check->command, entry, &check->memory),
                          check->user, check->err);
    }
    return status;
}

/* "file-size=none" is about a limit, too. */
static const char *check_item(const struct dg_policy_entry *entry,
                              struct dg_arena *memory)
{
    return dg_policy_lifts(entry) ? dg_format(memory, "%s=1", entry->name.data).data
                                  : dg_policy_option_item(entry, memory);
}

static enum dg_status check_budgets(struct check *check,
                                    const struct dg_policy_entries *entries)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < entries->n_items && !status; i++) {
        const struct dg_policy_entry *entry = &entries->items[i];
        struct dg_error told = {0};

        status = dg_limit_check(check_item(entry, &check->memory), &told);
        if (status && entry->option)
            dg_fail(check->err, status, "--limit %s", told.text);
        else if (status)
            dg_fail(check->err, status, "%s: budgets: %s",
                    blame(check->option, check->command, entry, &check->memory),
                    told.text);
    }
    return status;
}

static enum dg_status check_part(struct check *check, const struct dg_policy_part *part)
{
    enum dg_status status = check_rules(check, &part->keys[DG_POLICY_SELECT], false);

    if (!status)
        status = check_rules(check, &part->keys[DG_POLICY_IGNORE], false);
    if (!status)
        status = check_rules(check, &part->keys[DG_POLICY_SEVERITY], true);
    if (!status)
        status = check_budgets(check, &part->keys[DG_POLICY_BUDGETS]);
    return status;
}

enum dg_status dg_policy_option_check(const struct dg_policy_option *option,
                                      const char *command,
                                      const struct dg_verifier *user,
                                      struct dg_error *err)
{
    const struct dg_policy *policy = &option->policy;
    struct check check = {option, command, user, {0}, err};
    enum dg_status status = check_part(&check, &option->given);

    if (!status)
        status = check_part(&check, &policy->top);
    for (size_t i = 0; i < policy->n_parts && !status; i++)
        status = check_part(&check, &policy->parts[i]);
    for (size_t i = 0; i < policy->n_passes && !status; i++)
        status = check_rules(
            &check, &(struct dg_policy_entries){&option->policy.passes[i].rule, 1},
            false);
    dg_arena_clear(&check.memory);
    return status;
}
