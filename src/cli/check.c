/* check: the rules over programs; the gate of a build. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check_file.h"
#include "cli/options.h"
#include "formats/input.h"

struct given {
    const char *fail_on, *format, *output;
    struct dg_list select, ignore;
    struct dg_plan_option plan;
    struct dg_target_options target;
    int64_t jobs;
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
    {DG_OPTION_COUNT, "jobs", 'j', "N", offsetof(struct given, jobs),
     "files at a time; default 0: as many as there are processors"},
    {DG_OPTION_CHOICE, "format", 0, "text|json", offsetof(struct given, format),
     "text for people (default), json for programs"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

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

struct sum {
    int n_artifacts;
    int64_t totals[3];
};

static int verdict(const struct given *given, const struct sum *sum)
{
    for (int i = 0; i < 3 && strcmp(given->fail_on, "never") != 0; i++) {
        if (sum->totals[i])
            return given->exit_zero ? DG_EXIT_FINE : DG_EXIT_POLICY;
        if (!strcmp(given->fail_on, dg_check_severities[i]))
            break;
    }
    return DG_EXIT_FINE;
}

/* In the order in which they were given, whichever was done first. */
static int gather(struct sum *sum, struct dg_writer *text, struct dg_check_file *files,
                  size_t n_files, bool json)
{
    int exit_code = DG_EXIT_FINE;

    for (struct dg_check_file *file = files; file < files + n_files; file++) {
        if (file->err.status)
            exit_code =
                dg_worse_exit(exit_code, dg_complain_about(file->paths[0], &file->err));
        if (json && sum->n_artifacts && file->n_artifacts)
            dg_print(text, ",\n");
        dg_write(text, file->text.data, file->text.size);
        dg_writer_clear(&file->text);
        sum->n_artifacts += file->n_artifacts;
        for (int i = 0; i < 3; i++)
            sum->totals[i] += file->totals[i];
    }
    return exit_code;
}

static void wrap(struct dg_writer *out, const struct dg_writer *text,
                 const struct sum *sum, bool json)
{
    bool several = json && sum->n_artifacts != 1;

    if (several)
        dg_print(out, "{\"schema_version\":1,\"artifacts\":[\n");
    dg_write(out, text->data, text->size);
    if (several)
        dg_print(out,
                 "\n],\"summary\":{\"error\":%lld,\"warning\":%lld,\"note\":%lld}}",
                 (long long)sum->totals[0], (long long)sum->totals[1],
                 (long long)sum->totals[2]);
    if (json)
        dg_print(out, "\n");
}

static int check(const struct given *given, const struct dg_check_how *how,
                 char **paths, int n_paths)
{
    struct dg_check_file *files = NULL;
    struct dg_writer text = {0}, out = {0};
    struct sum sum = {0};
    size_t n_files = 0;
    int exit_code;

    for (int i = 0, n; i < n_paths; i += n) {
        n = n_together(paths + i, n_paths - i);
        *DG_APPEND(files, n_files) =
            (struct dg_check_file){.paths = paths + i, .n_paths = (size_t)n};
    }
    dg_check_files(how, files, n_files, given->jobs);
    exit_code = gather(&sum, &text, files, n_files, how->json);
    if (sum.n_artifacts) {
        wrap(&out, &text, &sum, how->json);
        exit_code = dg_deliver(given->output, &out,
                               dg_worse_exit(exit_code, verdict(given, &sum)));
    }
    dg_writer_clear(&text);
    free(files);
    return exit_code;
}

static enum dg_status select_rules(struct dg_selection *selection,
                                   const struct given *given, struct dg_arena *memory,
                                   struct dg_error *err)
{
    enum dg_status status = DG_OK;

    if (given->select.n_items)
        status = split(memory, &given->select, &selection->select, &selection->n_select,
                       err);
    if (!status && given->select.n_items && !selection->n_select)
        status = dg_fail(err, DG_ERR_USAGE,
                         "--select names no rule; expected an id, a"
                         " family or a pattern");
    return status ? status
                  : split(memory, &given->ignore, &selection->ignore,
                          &selection->n_ignore, err);
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
        if (dg_rule_find(id) && !dg_selects(selection, id))
            return dg_fail(err, DG_ERR_USAGE,
                           "--limit %.80s: --select or --ignore leaves %s out",
                           limits->items[i], id);
    }
    return DG_OK;
}

static int run(int argc, char **argv)
{
    struct given given = {.fail_on = "error", .format = "text"};
    struct dg_check_how how = {.plan = &given.plan, .target = &given.target};
    struct dg_arena memory = {0};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_check, &argc, argv, &err);
    int exit_code;

    if (!status)
        status = select_rules(&how.selection, &given, &memory, &err);
    if (!status)
        status = check_limits(&given.target.limits, &how.selection, &err);
    how.json = !strcmp(given.format, "json");
    how.timing = given.timing;
    how.color = dg_wants_color(given.output);
    exit_code = status ? dg_complain(&err) : check(&given, &how, argv + 1, argc - 1);
    dg_arena_clear(&memory);
    return exit_code;
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
    .files = -1,
};
