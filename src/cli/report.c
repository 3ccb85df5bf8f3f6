/* report: one file that tells all about a program. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/against.h"
#include "cli/answer.h"
#include "cli/compare.h"
#include "cli/gate.h"
#include "cli/limits.h"
#include "cli/options.h"
#include "cli/report_fleet.h"
#include "formats/input.h"
#include "graph/call_sums.h"
#include "graph/cost.h"
#include "graph/lifetime.h"
#include "reports/sections/section.h"

struct given {
    struct dg_gate gate;
    struct dg_report_form form;
    struct dg_fleet_words builds;
    const char *old; /* that --against means */
    bool hash, fleet;
};

#define FAIL_ON_OPTION                                                                 \
    {                                                                                  \
        DG_OPTION_CHOICE, "fail-on", 0, "error|warning|note|never",                    \
            offsetof(struct given, gate.fail_on),                                      \
            "the verdict is FAIL from this severity on, and so exit with 1"            \
    }

#define BUILD_OPTIONS                                                                  \
    {DG_OPTION_TEXT,                                                                   \
     "name",                                                                           \
     0,                                                                                \
     "NAME",                                                                           \
     offsetof(struct given, builds.name),                                              \
     "with --fleet: only builds of that name"},                                        \
        {DG_OPTION_LIST,                                                               \
         "label",                                                                      \
         0,                                                                            \
         "NAME=VALUE",                                                                 \
         offsetof(struct given, builds.labels),                                        \
         "with --fleet: only builds with that label; may be repeated"},                \
    {                                                                                  \
        DG_OPTION_NUMBER, "last", 0, "N", offsetof(struct given, builds.last),         \
            "with --fleet: only the newest N builds of each name, to the best of "     \
            "which the newest is held; default: the best of 10"                        \
    }

static const struct dg_option options[] = {
    DG_FINDING_OPTIONS(struct given, gate),
    DG_ARTIFACT_OPTION(struct given, gate.artifact),
    FAIL_ON_OPTION,
    {DG_OPTION_CHOICE, "format", 0, "html|md|text", offsetof(struct given, form.format),
     "a page for a browser, a comment, or text for a terminal; default: as the name of "
     "FILE ends, else html"},
    {DG_OPTION_FLAG, "fleet", 0, NULL, offsetof(struct given, fleet),
     "one page about all builds of a store: what became worse, the worst findings"},
    BUILD_OPTIONS,
    {DG_OPTION_FLAG, "hash", 0, NULL, offsetof(struct given, hash),
     "compute SHA-256 of a file of more than 256 MiB, too"},
    {DG_OPTION_COUNT, "width", 0, "COLUMNS", offsetof(struct given, form.width),
     "of text; default: the terminal's, or 80"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, form.output),
     "write there instead of to standard output"},
    {0},
};

/* Parts of them, for commands that the report shows. */
static const struct dg_option plan_options[] = {
    DG_PLAN_OPTION(struct given, gate.plan),
    DG_FORCE_OPTION(struct given, gate.plan),
    {0},
};
static const struct dg_option data_options[] = {
    DG_DATA_OPTION(struct given, gate.target.data),
    {0},
};
static const struct dg_option finding_options[] = {
    DG_FINDING_OPTIONS(struct given, gate),
    {0},
};
static const struct dg_option gate_options[] = {
    DG_FINDING_OPTIONS(struct given, gate),
    FAIL_ON_OPTION,
    {0},
};

/* What is about builds, and what is about one program. */
static const struct dg_option build_options[] = {
    BUILD_OPTIONS,
    {0},
};
static const struct dg_option program_options[] = {
    DG_FINDING_OPTIONS(struct given, gate),
    DG_ARTIFACT_OPTION(struct given, gate.artifact),
    FAIL_ON_OPTION,
    {DG_OPTION_FLAG, "hash", 0, NULL, offsetof(struct given, hash), ""},
    {0},
};

static const struct dg_ending endings[] = {
    {"html", "html"}, {"htm", "html"}, {"md", "md"}, {"txt", "text"}, {0}};

struct work {
    const struct given *given;
    struct dg_report_input report;
    struct dg_report_rule *rules;
    const char *title;
    struct dg_arena memory;
};

static bool words_of(const void *context, const char *id, struct dg_rule_words *words)
{
    const struct dg_selection *selection = context;
    const struct dg_rule *rule = dg_rule_find(id, selection->user);

    if (rule)
        *words = (struct dg_rule_words){rule->invariant, rule->reason, rule->fix};
    return rule != NULL;
}

static void on_rule(void *context, const char *id, double seconds,
                    const char *not_checked)
{
    struct work *work = context;
    struct dg_report_input *report = &work->report;

    *DG_APPEND(work->rules, report->n_rules) = (struct dg_report_rule){
        dg_copy(&work->memory, dg_text(id)),
        not_checked ? dg_copy(&work->memory, dg_text(not_checked)) : NULL};
    report->rules = work->rules;
    report->n_rules_run += !not_checked;
}

/* Stretches between delegates cost what their calls do. */
static enum dg_status add_costs(struct dg_store *store, struct dg_error *err)
{
    int64_t wanted = 0;
    enum dg_status status = dg_call_sums_store(store, err);

    if (!status)
        status = dg_store_int(store, "SELECT EXISTS (SELECT 1 FROM delegate)", 0,
                              &wanted, err);
    return status || !wanted ? status : dg_costs_store(store, err);
}

/* What sections read: findings, costs, lifetimes. Findings are those of `check` with
 * the same options, so that commands of the page find them, too. */
static enum dg_status prepare(struct work *work, struct dg_input *input,
                              struct dg_error *err)
{
    const struct dg_gate *gate = &work->given->gate;
    struct dg_report_input *report = &work->report;
    enum dg_status status = dg_store_add_views(report->store, err);

    if (!status)
        status = dg_gate_run(gate, input, on_rule, work, err);
    /* Findings count where the older program can be held to the same. */
    if (!status && work->given->old)
        status = dg_compare_against(input, work->given->old,
                                    dg_gate_alone(gate) ? &gate->selection : NULL, err);
    if (!status)
        status = add_costs(report->store, err);
    if (!status)
        status = dg_lifetimes_store(report->store, err);
    if (!status)
        status = dg_gate_count(report->counts, report->store, report->artifact, err);
    report->failed = dg_gate_fails(gate, report->counts);
    return status;
}

static enum dg_status read_title(struct work *work, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(work->report.store, "SELECT path FROM artifact WHERE id = ?1",
                   work->report.artifact, err);

    if (dg_rows_next(&rows))
        work->title = dg_copy(&work->memory, dg_rows_slice(&rows, 0));
    return dg_rows_close(&rows, DG_OK, err);
}

/* As a shell takes it. */
static const char *word(struct work *work, const char *text)
{
    return dg_shell_path(&work->memory, dg_text(text)).data;
}

static enum dg_status report_on(struct dg_writer *out, struct work *work,
                                struct dg_input *input, struct dg_error *err)
{
    struct dg_page page = {0};
    enum dg_status status =
        dg_artifact_only(&work->report.artifact, work->report.store, "a report", err);

    if (!status)
        status = read_title(work, err);
    page.title = dg_text(work->title && !strcmp(work->title, "-") ? "standard input"
                                                                  : work->title);
    if (!status)
        status = prepare(work, input, err);
    if (!status)
        status = dg_sections_write(&page, &work->report, err);
    if (!status)
        dg_report_write(out, &page, &work->given->form);
    dg_page_clear(&page);
    return status;
}

static const char *written(struct work *work, const struct given *given,
                           const struct dg_option *some)
{
    struct dg_writer text = {0};

    dg_options_write(&text, given, some);
    return dg_keep(&work->memory, &text).data;
}

/* `given` is what the command line said: a policy goes without saying. */
static void begin(struct work *work, const struct given *given, const char *path)
{
    struct dg_report_input *report = &work->report;
    struct given again = *given, held = *given,
                 found = *given; /* as commands have it */

    report->pictures = !strcmp(given->form.format, "html");
    if (report->pictures)
        again.form.format = NULL;
    if (given->gate.fail_on && !strcmp(given->gate.fail_on, "error"))
        held.gate.fail_on = NULL;
    if (!dg_limits_growing(&given->gate.target.limits))
        found.gate.target.against = held.gate.target.against = NULL; /* see check */
    report->rule = words_of;
    report->rule_context = &work->given->gate.selection;
    report->version = PACKAGE_VERSION;
    report->path = dg_artifact_words(&work->memory, path, given->gate.artifact).data;
    report->hashed = given->hash;
    report->against = given->old ? word(work, given->old) : NULL;
    report->plan_options = written(work, given, plan_options);
    report->data_options = written(work, given, data_options);
    report->finding_options = written(work, &found, finding_options);
    report->gate_options = written(work, &held, gate_options);
    report->fail_on = given->gate.fail_on ? given->gate.fail_on : "error";
    report->invocation = dg_format(&work->memory, "delegraph report %s%s",
                                   word(work, path), written(work, &again, options))
                             .data;
}

static enum dg_status refuse(const struct given *given, const struct dg_option *some,
                             const char *why, struct dg_error *err)
{
    struct dg_writer words = {0};
    enum dg_status status = DG_OK;

    dg_options_write(&words, given, some);
    if (words.size)
        status = dg_fail(err, DG_ERR_USAGE, "report:%.200s%s", words.data, why);
    dg_writer_clear(&words);
    return status;
}

static enum dg_status check_given(struct given *given, struct dg_error *err)
{
    enum dg_status status = given->form.format
                                ? DG_OK
                                : dg_format_by_ending(&given->form.format,
                                                      given->form.output, endings, err);

    if (!status)
        status = dg_report_form_check(&given->form, err);
    if (!status && given->fleet)
        status = refuse(given, program_options,
                        " is about one program, --fleet about all builds", err);
    if (!status && !given->fleet)
        status = refuse(given, build_options, " is for --fleet", err);
    return status;
}

/* A program is held to the .pte by digests. */
static enum dg_status open_and_report(struct dg_writer *out, struct work *work,
                                      struct given *given, const char *path,
                                      struct dg_error *err)
{
    struct dg_input input = {0};
    bool digests = given->hash || given->old || !dg_gate_alone(&given->gate);
    enum dg_status status =
        dg_input_open(&input, path, digests ? DG_HASH_ALL : DG_HASH_REPORT, err);

    if (!status)
        status = dg_artifact_choose(&input, given->gate.artifact, err);
    work->report.store = input.store;
    if (!status)
        status = dg_gate_fit_input(&given->gate, &input, &work->memory, err);
    if (!status)
        status = report_on(out, work, &input, err);
    dg_input_close(&input);
    return status;
}

static int report_program(struct given *given, const char *path)
{
    struct work work = {.given = given};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    bool gates = given->gate.fail_on != NULL; /* the policy does not: it is asked for */
    struct given said;
    enum dg_status status;

    given->gate.growth_may_wait = !gates;
    given->old = dg_against_old_of(&given->gate.target, path, given->gate.artifact,
                                   &work.memory);
    said = *given;
    status = dg_gate_prepare(&given->gate, "report", &work.memory, &err);
    if (status) {
        dg_gate_clear(&given->gate);
        dg_arena_clear(&work.memory);
        return dg_complain(&err);
    }
    begin(&work, &said, path);
    status = open_and_report(&out, &work, given, path, &err);
    free(work.rules);
    dg_gate_clear(&given->gate);
    dg_arena_clear(&work.memory);
    if (!status)
        return dg_deliver(given->form.output, &out,
                          work.report.failed && gates ? DG_EXIT_POLICY : DG_EXIT_FINE);
    dg_writer_clear(&out);
    return dg_complain_about(path, &err);
}

static int run(int argc, char **argv)
{
    struct given given = {
        .gate = {DG_GATE_START, .doubt = DG_PLAN_WARNS, .shows_old = true}};
    struct dg_error err = {0};

    if (dg_options_parse(&given, &dg_command_report, &argc, argv, &err) ||
        check_given(&given, &err)) {
        dg_gate_clear(&given.gate);
        return dg_complain(&err);
    }
    return given.fleet ? dg_report_fleet(argv[1], &given.form, &given.builds)
                       : report_program(&given, argv[1]);
}

const struct dg_command dg_command_report = {
    .name = "report",
    .synopsis = "FILE|DB",
    .summary = "all about one program, or all builds, in one file: verdict, pictures",
    .help = "The page needs no network and no JavaScript. Runs are in it when a store\n"
            "holds them: delegraph run FILE --store DB, then delegraph report DB.\n"
            "\n"
            "  delegraph report model.pte -o model.html\n"
            "  delegraph report model.pte -o comment.md\n"
            "  delegraph report model.pte --against yesterday.pte -o comment.md\n"
            "  delegraph report model.pte --format text\n"
            "  delegraph report fleet.db --fleet --label branch=main -o fleet.html\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = 1,
    .files = 1,
};
