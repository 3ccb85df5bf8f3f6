/* check: the rules over programs; the gate of a build. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check_print.h"
#include "cli/options.h"
#include "cli/plan_option.h"
#include "cli/target_options.h"
#include "formats/input.h"
#include "verifiers/verifier.h"

struct given {
    const char *fail_on, *format, *output;
    struct dg_list select, ignore;
    struct dg_plan_option plan;
    struct dg_target_options target;
    bool exit_zero, timing;
};

static const struct dg_option options[] = {
    {DG_OPTION_CHOICE, "fail-on", 0, "error|warning|note|never",
     offsetof(struct given, fail_on),
     "exit with 1 from this severity on; default error"},
    {DG_OPTION_LIST, "select", 0, "RULES", offsetof(struct given, select),
     "run only these: ids, families, globs, with commas between them"},
    {DG_OPTION_LIST, "ignore", 0, "RULES", offsetof(struct given, ignore),
     "leave these out"},
    DG_PLAN_OPTION(struct given, plan),
    DG_FORCE_OPTION(struct given, plan),
    DG_TARGET_OPTIONS(struct given, target),
    {DG_OPTION_FLAG, "exit-zero", 0, NULL, offsetof(struct given, exit_zero),
     "exit with 0 whatever is found; unreadable input still fails"},
    {DG_OPTION_FLAG, "timing", 0, NULL, offsetof(struct given, timing),
     "tell how long each rule took"},
    {DG_OPTION_CHOICE, "format", 0, "text|json", offsetof(struct given, format),
     "text for people (default), json for programs"},
    {DG_OPTION_TEXT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

struct check {
    const struct given *given;
    struct dg_selection selection;
    struct dg_writer text;
    int n_artifacts;
    int64_t totals[3]; /* errors, warnings, notes */
    struct dg_arena memory;
    struct dg_checked checked; /* of the file at hand */
};

static const char *const severities[] = {"error", "warning", "note"};

static bool matches(const char *pattern, const char *family, const char *rule)
{
    char id[160];

    snprintf(id, sizeof(id), "%s/%s", family, rule);
    return !strcmp(pattern, family) || !fnmatch(pattern, id, 0);
}

/* A pattern that means no rule is a mistake: tell which one is near. */
static enum dg_status check_pattern(const char *pattern, struct dg_error *err)
{
    struct dg_arena memory = {0};
    const char **names = NULL, *near;
    size_t n = 0;
    bool found = false;

    for (const struct dg_verifier *const *v = dg_verifiers; *v; v++) {
        *DG_APPEND(names, n) = (*v)->name;
        for (const struct dg_rule *rule = (*v)->rules; rule->name; rule++) {
            found = found || matches(pattern, (*v)->name, rule->name);
            *DG_APPEND(names, n) =
                dg_format(&memory, "%s/%s", (*v)->name, rule->name).data;
        }
    }
    near = dg_nearest(pattern, names, n);
    if (!found)
        dg_fail(err, DG_ERR_USAGE, "check: no rule \"%.80s\"%s%s%s", pattern,
                near ? "; did you mean " : "; see delegraph rules", near ? near : "",
                near ? "?" : "");
    free(names);
    dg_arena_clear(&memory);
    return found ? DG_OK : err->status;
}

/* "a,b" and repeated options become one list. */
static enum dg_status split(struct dg_arena *memory, const struct dg_list *list,
                            const char *const **out, size_t *n_out,
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
            status = check_pattern(p, err);
        }
    }
    *out = patterns;
    *n_out = n;
    return status;
}

static void on_rule(void *context, const char *id, double seconds,
                    const char *not_checked)
{
    struct check *check = context;
    struct dg_checked *checked = &check->checked;
    struct dg_checked_rule *rule = DG_APPEND(checked->rules, checked->n_rules);

    *rule = (struct dg_checked_rule){dg_copy(&check->memory, dg_text(id)), seconds,
                                     NULL, false};
    if (not_checked)
        rule->not_checked = dg_copy(&check->memory, dg_text(not_checked));
}

static enum dg_status print_artifact(struct check *check, int64_t artifact,
                                     struct dg_error *err)
{
    bool json = !strcmp(check->given->format, "json");

    check->checked.artifact = artifact;
    if (check->n_artifacts++ && json)
        dg_print(&check->text, ",\n");
    for (int i = 0; i < 3; i++) {
        int64_t n = dg_check_count(&check->checked, severities[i]);

        check->totals[i] += n > 0 ? n : 0;
    }
    return (json ? dg_check_json : dg_check_text)(&check->text, &check->checked, err);
}

static enum dg_status print_artifacts(struct check *check, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, check->checked.store,
                                         "SELECT id FROM artifact"
                                         " WHERE companion_of IS NULL ORDER BY id",
                                         err);

    if (status)
        return status;
    while (!status && dg_rows_next(&rows))
        status = print_artifact(check, dg_rows_int(&rows, 0), err);
    return dg_rows_close(&rows, status, err);
}

/* Of `paths` the first is a program; the others are its data. */
static int check_file(struct check *check, char **paths, size_t n_paths)
{
    const char *path = paths[0];
    struct dg_input input = {0};
    struct dg_error err = {0};
    size_t size = check->text.size;
    int n_artifacts = check->n_artifacts;
    const struct dg_target_options *target = &check->given->target;
    bool alone = n_paths == 1 && !target->data.n_items && !target->programs.n_items;
    enum dg_status status =
        dg_input_open(&input, path, alone ? DG_HASH_EQUAL : DG_HASH_QUICK, &err);

    check->checked = (struct dg_checked){
        .store = input.store,
        .timing = check->given->timing,
        .color = dg_wants_color(check->given->output),
    };
    if (!status)
        status = dg_join_companions(&input, (const char *const *)paths + 1, n_paths - 1,
                                    "data", DG_HASH_QUICK, &err);
    if (!status)
        status = dg_target_options_apply(&check->given->target, &input, &err);
    if (!status)
        status = dg_plan_option_apply(&check->given->plan, &input, &err);
    if (!status)
        status = dg_verify(input.store, &check->selection, on_rule, check, &err);
    if (!status)
        status = print_artifacts(check, &err);
    free(check->checked.rules);
    dg_input_close(&input);
    if (!status)
        return DG_EXIT_FINE;
    check->text.size = size;
    check->n_artifacts = n_artifacts;
    return dg_complain_about(path, &err);
}

/* A program and the .ptd files behind it are checked as one. */
static int n_together(char **paths, int n_paths)
{
    int n = 1;

    if (dg_input_is_data(paths[0]))
        return n;
    while (n < n_paths && dg_input_is_data(paths[n]))
        n++;
    return n;
}

static int verdict(const struct check *check)
{
    const struct given *given = check->given;

    for (int i = 0; i < 3 && strcmp(given->fail_on, "never") != 0; i++) {
        if (check->totals[i])
            return given->exit_zero ? DG_EXIT_FINE : DG_EXIT_POLICY;
        if (!strcmp(given->fail_on, severities[i]))
            break;
    }
    return DG_EXIT_FINE;
}

static void wrap(struct dg_writer *out, const struct check *check)
{
    bool json = !strcmp(check->given->format, "json");
    bool several = json && check->n_artifacts != 1;

    if (several)
        dg_print(out, "{\"schema_version\":1,\"artifacts\":[\n");
    dg_write(out, check->text.data, check->text.size);
    if (several)
        dg_print(out,
                 "\n],\"summary\":{\"error\":%lld,\"warning\":%lld,\"note\":%lld}}",
                 (long long)check->totals[0], (long long)check->totals[1],
                 (long long)check->totals[2]);
    if (json)
        dg_print(out, "\n");
}

static int run(int argc, char **argv)
{
    struct given given = {.fail_on = "error", .format = "text"};
    struct check check = {.given = &given};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    enum dg_status status;
    int exit_code = DG_EXIT_FINE;

    status = dg_options_parse(&given, &dg_command_check, &argc, argv, &err);
    if (!status && given.select.n_items)
        status = split(&check.memory, &given.select, &check.selection.select,
                       &check.selection.n_select, &err);
    if (!status && given.select.n_items && !check.selection.n_select)
        status = dg_fail(&err, DG_ERR_USAGE,
                         "--select names no rule; expected an id, a"
                         " family or a pattern");
    if (!status)
        status = split(&check.memory, &given.ignore, &check.selection.ignore,
                       &check.selection.n_ignore, &err);
    for (int i = 1, n; i < argc && !status; i += n) {
        n = n_together(argv + i, argc - i);
        exit_code = dg_worse_exit(exit_code, check_file(&check, argv + i, (size_t)n));
    }
    if (!status && check.n_artifacts) {
        wrap(&out, &check);
        exit_code =
            dg_deliver(given.output, &out, dg_worse_exit(exit_code, verdict(&check)));
    }
    dg_writer_clear(&check.text);
    dg_arena_clear(&check.memory);
    return status ? dg_complain(&err) : exit_code;
}

const struct dg_command dg_command_check = {
    .name = "check",
    .synopsis = "FILE...",
    .summary = "what is wrong with it: exit 1 when an error is found",
    .help = "Examples:\n"
            "  delegraph check model.pte\n"
            "  delegraph check build/*.pte --fail-on warning --ignore format\n"
            "  delegraph check model.pte --select memory,graph/acyclic --format json\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = -1,
};
