/* The gate: which rules are meant, and which program of a store. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/text.h"
#include "cli/gate.h"

static bool matches(const char *pattern, const char *family, const char *rule)
{
    char id[160];

    snprintf(id, sizeof(id), "%s/%s", family, rule);
    return !strcmp(pattern, family) || !fnmatch(pattern, id, 0);
}

/* A pattern that means no rule is a mistake: tell which one is near. */
static enum dg_status check_pattern(const char *pattern, const char *command,
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
            found = found || matches(pattern, v->name, rule->name);
            *DG_APPEND(names, n) =
                dg_format(&memory, "%s/%s", v->name, rule->name).data;
        }
    }
    near = dg_nearest(pattern, names, n);
    if (!found)
        dg_fail(err, DG_ERR_USAGE, "%s: no rule \"%.80s\"%s%s%s", command, pattern,
                near                          ? "; did you mean "
                : strncmp(pattern, "user", 4) ? "; see delegraph rules"
                                              : "; rules of your own need --rules DIR",
                near ? near : "", near ? "?" : "");
    free(names);
    dg_arena_clear(&memory);
    return found ? DG_OK : err->status;
}

/* "a,b" and repeated options become one list. */
static enum dg_status split(const char *const **out, size_t *n_out,
                            const struct dg_list *list, const char *command,
                            const struct dg_verifier *user, struct dg_arena *memory,
                            struct dg_error *err)
{
    const char **patterns = NULL;
    enum dg_status status = DG_OK;
    size_t n = 0, all = 0;

    for (size_t i = 0; i < list->n_items; i++)
        all += strlen(list->items[i]) + 1;
    patterns = dg_alloc(memory, all + 1, sizeof(*patterns));
    for (size_t i = 0; i < list->n_items; i++) {
        char *item = dg_copy(memory, dg_text(list->items[i])), *rest = NULL;

        for (char *p = strtok_r(item, ", ", &rest); p && !status;
             p = strtok_r(NULL, ", ", &rest)) {
            patterns[n++] = p;
            status = check_pattern(p, command, user, err);
        }
    }
    *out = patterns;
    *n_out = n;
    return status;
}

/* A limit whose rule does not run would pass whatever the program is. */
static enum dg_status check_limits(const struct dg_list *limits,
                                   const struct dg_selection *selection,
                                   struct dg_error *err)
{
    for (size_t i = 0; i < limits->n_items; i++) {
        char id[80];

        snprintf(id, sizeof(id), "budget/%.*s", (int)strcspn(limits->items[i], "="),
                 limits->items[i]);
        if (dg_rule_find(id, NULL) && !dg_selects(selection, id))
            return dg_fail(err, DG_ERR_USAGE,
                           "--limit %.80s: --select or --ignore leaves %s out",
                           limits->items[i], id);
    }
    return DG_OK;
}

enum dg_status dg_gate_prepare(struct dg_gate *gate, const char *command,
                               struct dg_arena *memory, struct dg_error *err)
{
    struct dg_selection *selection = &gate->selection;
    enum dg_status status =
        dg_user_rules_load(&selection->user, &gate->user, memory, err);

    if (!status && gate->select.n_items)
        status = split(&selection->select, &selection->n_select, &gate->select, command,
                       selection->user, memory, err);
    if (!status && gate->select.n_items && !selection->n_select)
        status = dg_fail(err, DG_ERR_USAGE,
                         "--select names no rule; expected an id, a"
                         " family or a pattern");
    if (!status)
        status = split(&selection->ignore, &selection->n_ignore, &gate->ignore, command,
                       selection->user, memory, err);
    return status ? status : check_limits(&gate->target.limits, selection, err);
}

/* "1 a.pte, 2 b.pte, and 3 more" */
static struct dg_text list_programs(struct dg_arena *memory, struct dg_store *store)
{
    enum { MOST = 8 };
    struct dg_writer list = {0};
    struct dg_error ignored = {0};
    struct dg_rows rows;
    int n = 0;

    if (dg_rows_open(&rows, store,
                     "SELECT id, path FROM artifact WHERE companion_of IS NULL"
                     " ORDER BY id",
                     &ignored))
        return dg_text("");
    for (; dg_rows_next(&rows); n++)
        if (n < MOST)
            dg_print(&list, "%s%lld %.200s", n ? ", " : "",
                     (long long)dg_rows_int(&rows, 0), dg_rows_text(&rows, 1));
    dg_rows_close(&rows, DG_OK, &ignored);
    if (n > MOST)
        dg_print(&list, ", and %d more", n - MOST);
    return dg_keep(memory, &list);
}

static enum dg_status refuse(int64_t count, const char *wanted, struct dg_store *store,
                             struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char *names = list_programs(&memory, store).data;

    if (wanted)
        dg_fail(err, DG_ERR_USAGE, "--artifact: %s named \"%.80s\" among %s",
                count ? "several programs are" : "no program is", wanted, names);
    else
        dg_fail(err, DG_ERR_USAGE,
                "the store holds %lld programs, and a report is about one: choose "
                "with --artifact N among %s",
                (long long)count, names);
    dg_arena_clear(&memory);
    return err->status;
}

/* ?1 is a path or number; NULL means all. */
static const char programs_sql[] =
    "SELECT count(*), min(id) FROM artifact WHERE companion_of IS NULL"
    " AND (?1 IS NULL OR path = ?1 OR CAST(id AS TEXT) = ?1)";

enum dg_status dg_gate_artifact(int64_t *artifact, const struct dg_gate *gate,
                                struct dg_store *store, struct dg_error *err)
{
    const char *wanted = gate->artifact;
    struct dg_rows rows;
    int64_t count = 0;
    enum dg_status status = dg_rows_open(&rows, store, programs_sql, err);

    if (status)
        return status;
    if (wanted)
        dg_rows_bind_text(&rows, 1, dg_text(wanted));
    if (dg_rows_next(&rows)) {
        count = dg_rows_int(&rows, 0);
        *artifact = dg_rows_int_or(&rows, 1, 0);
    }
    status = dg_rows_close(&rows, DG_OK, err);
    return status || count == 1 ? status : refuse(count, wanted, store, err);
}
