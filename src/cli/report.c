/* report: one file that tells all about a program. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/options.h"
#include "cli/plan_option.h"
#include "cli/target_options.h"
#include "formats/input.h"
#include "graph/cost.h"
#include "graph/lifetime.h"
#include "reports/sections/section.h"
#include "verifiers/verifier.h"

struct given {
    const char *format, *fail_on, *output, *artifact;
    struct dg_plan_option plan;
    struct dg_list programs;
    int64_t width;
    bool hash;
};

static const struct dg_option options[] = {
    {DG_OPTION_CHOICE, "format", 0, "html|md|text", offsetof(struct given, format),
     "a page for a browser, a comment, or text for a terminal; default: as the name of "
     "FILE ends, else html"},
    {DG_OPTION_CHOICE, "fail-on", 0, "error|warning|note|never",
     offsetof(struct given, fail_on),
     "the verdict is FAIL from this severity on, and so exit with 1"},
    DG_PROGRAM_OPTION(struct given, programs, "for the share that delegates run"),
    DG_PLAN_OPTION(struct given, plan),
    DG_FORCE_OPTION(struct given, plan),
    {DG_OPTION_TEXT, "artifact", 0, "PATH|N", offsetof(struct given, artifact),
     "which program of a store with several: its path or its number"},
    {DG_OPTION_FLAG, "hash", 0, NULL, offsetof(struct given, hash),
     "compute SHA-256 of a file of more than 256 MiB, too"},
    {DG_OPTION_COUNT, "width", 0, "COLUMNS", offsetof(struct given, width),
     "of text; default: the terminal's, or 80"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

static const struct dg_ending endings[] = {{"md", "md"}, {"txt", "text"}, {0}};

struct work {
    const struct given *given;
    struct dg_report_input report;
    struct dg_report_rule *rules;
    const char *title;
    struct dg_arena memory;
};

static bool words_of(const char *id, struct dg_rule_words *words)
{
    const struct dg_rule *rule = dg_rule_find(id);

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

static enum dg_status count_findings(struct dg_report_input *report,
                                     struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, report->store,
                     "SELECT total(severity = 'error'), total(severity = 'warning'),"
                     " total(severity = 'note') FROM finding WHERE " DG_OWN_FINDINGS,
                     err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, report->artifact);
    if (dg_rows_next(&rows)) {
        report->n_errors = (size_t)dg_rows_int(&rows, 0);
        report->n_warnings = (size_t)dg_rows_int(&rows, 1);
        report->n_notes = (size_t)dg_rows_int(&rows, 2);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static bool fails(const struct dg_report_input *report)
{
    const char *on = report->fail_on;

    if (!strcmp(on, "never"))
        return false;
    return report->n_errors || (strcmp(on, "error") != 0 && report->n_warnings) ||
           (!strcmp(on, "note") && report->n_notes);
}

/* What sections read: findings, costs, lifetimes. Findings are those of `check` with
 * the same options, so that commands of the page find them, too. */
static enum dg_status prepare(struct work *work, struct dg_input *input,
                              struct dg_error *err)
{
    const struct dg_list *programs = &work->given->programs;
    struct dg_store *store = work->report.store;
    enum dg_status status = dg_store_add_views(store, err);

    if (!status)
        status = dg_join_companions(input, programs->items, programs->n_items,
                                    "program", DG_HASH_QUICK, err);
    if (!status)
        status = dg_verify(store, &(struct dg_selection){0}, on_rule, work, err);
    if (!status)
        status = dg_costs_store(store, err);
    if (!status)
        status = dg_lifetimes_store(store, err);
    if (!status)
        status = count_findings(&work->report, err);
    work->report.failed = fails(&work->report);
    return status;
}

/* "1 a.pte, 2 b.pte, and 3 more" */
static const char *list_programs(struct work *work)
{
    enum { MOST = 8 };
    struct dg_writer list = {0};
    struct dg_error ignored = {0};
    struct dg_rows rows;
    int n = 0;

    if (dg_rows_open(&rows, work->report.store,
                     "SELECT id, path FROM artifact WHERE companion_of IS NULL"
                     " ORDER BY id",
                     &ignored))
        return "";
    for (; dg_rows_next(&rows); n++)
        if (n < MOST)
            dg_print(&list, "%s%lld %.200s", n ? ", " : "",
                     (long long)dg_rows_int(&rows, 0), dg_rows_text(&rows, 1));
    dg_rows_close(&rows, DG_OK, &ignored);
    if (n > MOST)
        dg_print(&list, ", and %d more", n - MOST);
    return dg_keep(&work->memory, &list).data;
}

/* A report is about one program: ?1 is its path or number; NULL means all. */
static const char programs_sql[] =
    "SELECT count(*), min(id), path FROM artifact WHERE companion_of IS NULL"
    " AND (?1 IS NULL OR path = ?1 OR CAST(id AS TEXT) = ?1)";

static enum dg_status choose_artifact(struct work *work, struct dg_error *err)
{
    const char *wanted = work->given->artifact;
    struct dg_rows rows;
    int64_t count = 0;
    enum dg_status status = dg_rows_open(&rows, work->report.store, programs_sql, err);

    if (status)
        return status;
    if (wanted)
        dg_rows_bind_text(&rows, 1, dg_text(wanted));
    if (dg_rows_next(&rows)) {
        count = dg_rows_int(&rows, 0);
        work->report.artifact = dg_rows_int_or(&rows, 1, 0);
        work->title = dg_copy(&work->memory, dg_rows_slice(&rows, 2));
    }
    status = dg_rows_close(&rows, DG_OK, err);
    if (status || count == 1)
        return status;
    if (wanted)
        return dg_fail(err, DG_ERR_USAGE, "--artifact: %s named \"%.80s\" among %s",
                       count ? "several programs are" : "no program is", wanted,
                       list_programs(work));
    return dg_fail(err, DG_ERR_USAGE,
                   "the store holds %lld programs, and a report is about one: choose "
                   "with --artifact N among %s",
                   (long long)count, list_programs(work));
}

static void write_page(struct dg_writer *out, const struct dg_page *page,
                       const struct given *given)
{
    struct dg_page_options how = {
        .color = dg_wants_color(given->output),
        .ascii = dg_wants_ascii(given->output),
        .width = given->width ? (int)given->width : dg_terminal_width(given->output)};

    if (!strcmp(given->format, "html"))
        dg_page_html(out, page);
    else if (!strcmp(given->format, "md"))
        dg_page_markdown(out, page);
    else
        dg_page_text(out, page, &how);
}

/* As a shell takes it. */
static const char *word(struct work *work, const char *text)
{
    return text ? dg_shell_path(&work->memory, dg_text(text)).data : NULL;
}

static enum dg_status report_on(struct dg_writer *out, struct work *work,
                                struct dg_input *input, struct dg_error *err)
{
    struct dg_page page = {0};
    enum dg_status status = choose_artifact(work, err);

    page.title = dg_text(work->title && !strcmp(work->title, "-") ? "standard input"
                                                                  : work->title);
    work->report.program =
        work->given->artifact ? word(work, work->title) : work->report.path;
    if (!status)
        status = dg_plan_option_apply(&work->given->plan, DG_PLAN_WARNS, input, err);
    if (!status)
        status = prepare(work, input, err);
    if (!status)
        status = dg_sections_write(&page, &work->report, err);
    if (!status)
        write_page(out, &page, work->given);
    dg_page_clear(&page);
    return status;
}

/* " --program A --program B" */
static const char *list_companions(struct work *work)
{
    const struct dg_list *programs = &work->given->programs;
    struct dg_writer out = {0};

    for (size_t i = 0; i < programs->n_items; i++)
        dg_print(&out, " --program %s", word(work, programs->items[i]));
    return dg_keep(&work->memory, &out).data;
}

/* The command that makes this report again. Where it is written does not matter. */
static const char *invocation(struct work *work)
{
    const struct given *given = work->given;
    struct dg_writer out = {0};

    dg_print(&out, "delegraph report %s", work->report.path);
    if (given->plan.path)
        dg_print(&out, " --plan %s", work->report.plan);
    if (given->plan.force)
        dg_print(&out, " --force");
    dg_print(&out, "%s", work->report.companions);
    if (given->artifact)
        dg_print(&out, " --artifact %s", word(work, given->artifact));
    if (given->fail_on)
        dg_print(&out, " --fail-on %s", given->fail_on);
    if (strcmp(given->format, "html") != 0)
        dg_print(&out, " --format %s", given->format);
    if (given->hash)
        dg_print(&out, " --hash");
    if (given->width)
        dg_print(&out, " --width %lld", (long long)given->width);
    return dg_keep(&work->memory, &out).data;
}

static void begin(struct work *work, const char *path)
{
    const struct given *given = work->given;
    struct dg_report_input *report = &work->report;

    report->rule = words_of;
    report->version = PACKAGE_VERSION;
    report->path = word(work, path);
    report->plan = word(work, given->plan.path);
    report->fail_on = given->fail_on ? given->fail_on : "error";
    report->pictures = !strcmp(given->format, "html");
    report->companions = list_companions(work);
    report->invocation = invocation(work);
}

static enum dg_status check_given(const struct given *given, struct dg_error *err)
{
    bool html = !strcmp(given->format, "html");

    if (given->width > 10000)
        return dg_fail(err, DG_ERR_USAGE, "report: --width must be at most 10000");
    if (html && dg_goes_to_terminal(given->output))
        return dg_fail(
            err, DG_ERR_USAGE,
            "report: a page is for a browser: give -o FILE.html, or --format text");
    return DG_OK;
}

static int run(int argc, char **argv)
{
    struct given given = {0};
    struct work work = {.given = &given};
    struct dg_input input = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_report, &argc, argv, &err);

    if (!status && !given.format)
        given.format = dg_format_by_ending(given.output, endings, "html");
    if (!status)
        status = check_given(&given, &err);
    if (status)
        return dg_complain(&err);
    begin(&work, argv[1]);
    /* A program is held to the .pte by digests. */
    status = dg_input_open(
        &input, argv[1],
        given.hash || given.programs.n_items ? DG_HASH_ALL : DG_HASH_REPORT, &err);
    work.report.store = input.store;
    if (!status)
        status = report_on(&out, &work, &input, &err);
    dg_input_close(&input);
    free(work.rules);
    dg_arena_clear(&work.memory);
    if (!status)
        return dg_deliver(given.output, &out,
                          work.report.failed && given.fail_on ? DG_EXIT_POLICY
                                                              : DG_EXIT_FINE);
    dg_writer_clear(&out);
    return dg_complain_about(argv[1], &err);
}

const struct dg_command dg_command_report = {
    .name = "report",
    .synopsis = "FILE|DB",
    .summary = "all about one program in one file: verdict, pictures, memory, size",
    .help = "The page needs no network and no JavaScript. Runs are in it when a store\n"
            "holds them: delegraph run FILE --store DB, then delegraph report DB.\n"
            "\n"
            "  delegraph report model.pte -o model.html\n"
            "  delegraph report model.pte -o comment.md\n"
            "  delegraph report model.pte --format text\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = 1,
    .files = 1,
};
