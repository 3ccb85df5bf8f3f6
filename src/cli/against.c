/* The older program that limits of growth compare with: which file it is, and whether
 * it is one of the same kind. */
#include "cli/against.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/limits.h"
#include "verifiers/budget.h"

bool dg_against_is_set(const struct dg_target_options *target)
{
    return target->against && strcmp(target->against, "none") != 0;
}

/* A limit of growth that holds for the program, or NULL. */
static const struct dg_policy_entry *find_growth(const struct dg_gate *gate)
{
    const struct dg_policy_entries *budgets = &gate->part->keys[DG_POLICY_BUDGETS];

    bool holds = dg_limits_growing(&gate->target.limits) != NULL;

    for (size_t i = 0; i < budgets->n_items && holds; i++) {
        if (dg_policy_grows(&budgets->items[i]))
            return &budgets->items[i];
    }
    return NULL;
}

/* It has something to compare with. */
static enum dg_status check_growth(const struct dg_gate *gate, struct dg_error *err)
{
    const struct dg_policy_entry *growth = find_growth(gate);
    const char *none = gate->target.against ? " (none is for limits of a policy)" : "";
    struct dg_arena memory = {0};
    enum dg_status status = DG_OK;

    if (growth && !dg_against_is_set(&gate->target))
        status = dg_fail(
            err, DG_ERR_USAGE,
            "%s: expected --against OLD, the program that this one is compared with%s",
            dg_policy_option_said(&gate->policy, growth, &memory),
            growth->option ? none : ", or --against none where there is none yet");
    dg_arena_clear(&memory);
    return status;
}

bool dg_against_grows(const struct dg_gate *gate)
{
    const struct dg_policy *policy = &gate->policy.policy;
    bool growth =
        dg_policy_has_growth(&gate->policy.given) || dg_policy_has_growth(&policy->top);

    for (size_t i = 0; i < policy->n_parts; i++)
        growth = growth || dg_policy_has_growth(&policy->parts[i]);
    return growth;
}

enum dg_status dg_against_check(const struct dg_gate *gate, struct dg_error *err)
{
    if (dg_against_grows(gate) || gate->shows_old ||
        !dg_against_is_set(&gate->target) ||
        !gate->policy.given.keys[DG_POLICY_AGAINST].n_items)
        return check_growth(gate, err);
    return dg_fail(err, DG_ERR_USAGE,
                   "--against %.200s: nothing is compared with it; expected a limit"
                   " of growth, for instance --limit file-size=+2%%",
                   gate->target.against);
}

bool dg_against_is_folder(const struct dg_target_options *target)
{
    struct stat state;

    return dg_against_is_set(target) && !stat(target->against, &state) &&
           S_ISDIR(state.st_mode);
}

/* What follows the last "..", from where a path names the same in another folder. */
static const char *below(const char *path)
{
    const char *start = path;

    for (const char *at = path; (at = strstr(at, "..")); at += 2) {
        if ((at == path || at[-1] == '/') && (!at[2] || at[2] == '/'))
            start = at + 2;
    }
    return start;
}

/* In a folder, the longest end of the program's path that is there; or NULL. */
static const char *find_namesake(const char *folder, const char *path,
                                 struct dg_arena *memory)
{
    struct stat state;

    for (const char *end = below(path); end; end = strchr(end, '/')) {
        const char *old;

        end += strspn(end, "/");
        if (!*end)
            break;
        old = dg_format(memory, "%s/%s", folder, end).data;
        if (!stat(old, &state) && !S_ISDIR(state.st_mode))
            return old;
    }
    return NULL;
}

/* Of itself nothing grows: a gate would pass for ever. */
static enum dg_status check_other(const char *path, const char *old,
                                  struct dg_error *err)
{
    struct stat states[2];

    if (stat(path, &states[0]) || stat(old, &states[1]) ||
        states[0].st_dev != states[1].st_dev || states[0].st_ino != states[1].st_ino)
        return DG_OK;
    return dg_fail(err, DG_ERR_USAGE,
                   "%.200s: the same file as %.200s; expected an older one", old, path);
}

const char *dg_against_old(const struct dg_target_options *target, const char *path,
                           struct dg_arena *memory)
{
    if (!dg_against_is_set(target))
        return NULL;
    return dg_against_is_folder(target) ? find_namesake(target->against, path, memory)
                                        : target->against;
}

const char *dg_against_old_of(const struct dg_target_options *target, const char *path,
                              const char *artifact, struct dg_arena *memory)
{
    return dg_against_old(
        target,
        dg_against_is_folder(target) ? dg_artifact_name(path, artifact, memory) : path,
        memory);
}

bool dg_against_is_new(const struct dg_target_options *target, const char *path)
{
    struct dg_arena memory = {0};
    bool is_new = dg_against_is_set(target) && !dg_against_old(target, path, &memory);

    dg_arena_clear(&memory);
    return is_new;
}

enum dg_status dg_against_suits(const struct dg_target_options *target, size_t n_files,
                                struct dg_error *err)
{
    struct stat state;

    if (!dg_against_is_set(target) || n_files < 2 || dg_against_is_folder(target))
        return DG_OK;
    if (stat(target->against, &state))
        return dg_fail(err, DG_ERR_FORMAT, "--against %.200s: cannot read: %s",
                       target->against, strerror(errno));
    return dg_fail(
        err, DG_ERR_USAGE,
        "--against %.200s: one program for %zu; expected a folder that has one"
        " of the same name for each",
        target->against, n_files);
}

/* Of the program that the gate looks at. */
static enum dg_status read_kind(char *kind, size_t room, struct dg_store *store,
                                struct dg_error *err)
{
    struct dg_rows rows;
    int64_t artifact = 0;
    enum dg_status status = dg_artifact_only(&artifact, store, "--against", err);

    if (status)
        return status;
    rows = dg_rows_of(store, "SELECT kind FROM artifact WHERE id = ?1", artifact, err);
    if (dg_rows_next(&rows))
        snprintf(kind, room, "%s", dg_rows_text(&rows, 0));
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status check_kinds(const struct dg_input *input,
                                  const struct dg_input *old, struct dg_error *err)
{
    struct dg_error told = {0};
    char kinds[2][16] = {"", ""};
    enum dg_status status = read_kind(kinds[0], sizeof(kinds[0]), input->store, err);

    if (status)
        return status;
    status = read_kind(kinds[1], sizeof(kinds[1]), old->store, &told);
    if (status)
        return dg_fail(err, status, "--against %.200s: expected a store of one program",
                       old->path);
    if (!strcmp(kinds[0], kinds[1]))
        return DG_OK;
    return dg_fail(err, DG_ERR_USAGE,
                   "--against %.200s: a .%s; expected a .%s, as %.200s", old->path,
                   kinds[1], kinds[0], input->path);
}

static enum dg_status compare(const struct dg_gate *gate, struct dg_input *input,
                              const char *path, struct dg_error *err)
{
    struct dg_input old = {0};
    struct dg_error told = {0};
    enum dg_status status = check_other(input->path, path, &told);

    if (!status)
        status = dg_input_open(&old, path, DG_HASH_NONE, &told);

    if (status)
        dg_fail(err, status, "--against %s", told.text);
    else
        status = check_kinds(input, &old, err);
    if (!status)
        status = dg_budget_compare(input->store, old.store, path, err);
    dg_input_close(&old);
    return status;
}

enum dg_status dg_against_apply(const struct dg_gate *gate, struct dg_input *input,
                                struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char *old = dg_against_old(
        &gate->target, gate->program ? gate->program : input->path, &memory);
    enum dg_status status = check_growth(gate, err);

    if (!status && old && dg_limits_growing(&gate->target.limits))
        status = compare(gate, input, old, err);
    dg_arena_clear(&memory);
    return status;
}
