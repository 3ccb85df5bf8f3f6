/* check: the rules over programs; the gate of a build. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "cli/against.h"
#include "cli/against_folder.h"
#include "cli/check_file.h"
#include "cli/check_numerics.h"
#include "cli/check_outputs.h"
#include "cli/explain_config.h"
#include "cli/file_words.h"
#include "cli/max_lines.h"
#include "gate/policy_apply.h"

struct given {
    const char *format, *output, *source_root, *baseline;
    struct dg_list reports, folders;
    struct dg_gate gate;
    int64_t jobs, max_lines;
    bool exit_zero, timing, explain;
};

static const struct dg_option options[] = {
    {DG_OPTION_CHOICE, "fail-on", 0, "error|warning|note|never",
     offsetof(struct given, gate.fail_on),
     "exit with 1 from this severity on; default error"},
    DG_FINDING_OPTIONS(struct given, gate),
    DG_NUMERICS_OPTIONS(struct given, gate.numerics),
    DG_ARTIFACT_OPTION(struct given, gate.artifact),
    {DG_OPTION_FLAG, "explain-config", 0, NULL, offsetof(struct given, explain),
     "print what the policy asks of each FILE and which line says so"},
    {DG_OPTION_FILE, "baseline", 0, "FILE", offsetof(struct given, baseline),
     "findings that it has are known and do not fail; see baseline"},
    {DG_OPTION_LIST, "recursive", 'r', "DIR", offsetof(struct given, folders),
     "each .pte, .pt2 and .bpte in that folder and below, too"},
    {DG_OPTION_FLAG, "exit-zero", 0, NULL, offsetof(struct given, exit_zero),
     "exit with 0 whatever is found; unreadable input still fails"},
    {DG_OPTION_FLAG, "timing", 0, NULL, offsetof(struct given, timing),
     "tell how long each rule took"},
    {DG_OPTION_COUNT, "jobs", 'j', "N", offsetof(struct given, jobs),
     "files at a time; default 0: as many as there are processors"},
    {DG_OPTION_REPORTS, "report", 0, "FORMAT=FILE", offsetof(struct given, reports),
     "write it in that format, too; - is standard output"},
    {DG_OPTION_TEXT, "source-root", 0, "DIR", offsetof(struct given, source_root),
     "root of the repository with its Python; default: here"},
    {DG_OPTION_CHOICE, "format", 0, "text|json|jsonl|csv|md|sarif|junit|github|gitlab",
     offsetof(struct given, format), "text for people (default), others for programs"},
    DG_MAX_LINES_OPTION(struct given, max_lines),
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

struct work {
    struct given *given;
    struct dg_check_outputs outputs;
    struct dg_file_words words;
    struct dg_check_file *files;
    size_t n_files;
    struct dg_outcome *outcomes; /* of all files, in their order */
    struct dg_baseline baseline;
    struct dg_arena memory;
};

static void count(struct dg_gate_report *report)
{
    for (size_t i = 0; i < report->n_outcomes; i++) {
        for (int k = 0; k < DG_N_SEVERITIES; k++)
            report->totals[k] += report->outcomes[i].counts[k];
        report->n_known += report->outcomes[i].n_known;
        report->n_troubles += report->outcomes[i].trouble != NULL;
    }
}

static struct dg_gate_report begin_report(const struct given *given)
{
    return (struct dg_gate_report){
        .user = given->gate.selection.user,
        .fails_from = dg_gate_fails_from(&given->gate),
        .timing = given->timing,
        .quiet = dg_verbosity.quiet,
        .verbose = dg_verbosity.verbose,
        .max_lines = (size_t)given->max_lines,
        .version = PACKAGE_VERSION,
        .policy = given->gate.policy.policy.path,
    };
}

static int check(struct work *work)
{
    struct given *given = work->given;
    struct dg_check_how how = {.gate = &given->gate};
    struct dg_gate_report report = begin_report(given);
    struct dg_error err = {0};
    int exit_code;
    bool fails;

    if (dg_check_outputs_lines(&work->outputs))
        how.source_root = given->source_root ? given->source_root : ".";
    dg_check_files(&how, work->files, work->n_files, given->jobs);
    exit_code = dg_check_files_complain(work->files, work->n_files);
    if (dg_against_folder_judge(&given->gate, work->files, work->n_files, &err))
        exit_code = dg_worse_exit(exit_code, dg_complain(&err));
    work->outcomes =
        dg_check_files_outcomes(&report.n_outcomes, work->files, work->n_files);
    report.outcomes = work->outcomes;
    if (given->gate.baseline)
        dg_baseline_apply(given->gate.baseline, work->outcomes, report.n_outcomes,
                          &given->gate.selection);
    dg_policy_apply(&given->gate.policy.policy, work->outcomes, report.n_outcomes,
                    &given->gate.policy.given, &given->gate.selection,
                    given->folders.n_items > 0);
    count(&report);
    fails = dg_gate_fails(&given->gate, report.totals);
    report.failed = exit_code || fails;
    if (fails && !given->exit_zero)
        exit_code = dg_worse_exit(exit_code, DG_EXIT_POLICY);
    return dg_check_outputs_write(&work->outputs, &report, exit_code);
}

/* Where CI shows what is about the policy. */
static enum dg_status place_policy(struct work *work, struct dg_error *err)
{
    struct dg_policy *policy = &work->given->gate.policy.policy;
    struct dg_checkout checkout = {0};
    const char *root = work->given->source_root;
    enum dg_status status =
        dg_checkout_open(&checkout, root ? root : ".", &work->memory, err);

    if (!status && policy->path)
        policy->place = dg_source_relative(&checkout, policy->path);
    dg_checkout_close(&checkout);
    return status;
}

static enum dg_status prepare(struct work *work, struct given *given, char **words,
                              size_t n_words, struct dg_error *err)
{
    enum dg_status status = dg_check_outputs_read(&work->outputs, &given->reports,
                                                  given->format, given->output, err);

    if (!status)
        status = dg_max_lines_check(given->max_lines,
                                    dg_check_outputs_has(&work->outputs, "md"), err);
    if (!status && given->explain && (given->reports.n_items || given->format))
        status = dg_fail(err, DG_ERR_USAGE,
                         "check: --explain-config prints YAML, and no report");
    given->gate.growth_may_wait = given->explain;
    if (!status)
        status = dg_gate_prepare(&given->gate, "check", &work->memory, err);
    if (!status && (n_words || given->folders.n_items || !given->explain))
        status = dg_file_words_read(&work->words, words, n_words, &given->folders,
                                    &work->memory, err);
    if (status || given->explain)
        return status;
    given->source_root =
        dg_gate_word(&given->gate, DG_POLICY_SOURCE_ROOT, given->source_root);
    given->baseline = dg_gate_word(&given->gate, DG_POLICY_BASELINE, given->baseline);
    work->files =
        dg_check_files_make(&work->n_files, work->words.paths, work->words.n_paths);
    status = dg_against_suits(&given->gate.target, work->n_files, err);
    if (!status)
        status = dg_numerics_options_check(&given->gate, work->n_files, err);
    if (!status && (given->source_root || dg_check_outputs_lines(&work->outputs)))
        status = place_policy(work, err);
    if (!status && given->baseline) {
        given->gate.baseline = &work->baseline;
        status = dg_baseline_read(&work->baseline, given->baseline, err);
    }
    return status;
}

static int run(int argc, char **argv)
{
    struct given given = {.gate = {DG_GATE_START}};
    struct work work = {.given = &given};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_check, &argc, argv, &err);
    int exit_code;

    if (!status)
        status = prepare(&work, &given, argv + 1, (size_t)argc - 1, &err);
    exit_code = status ? dg_complain(&err)
                : given.explain
                    ? dg_explain_config(&given.gate, &work.words, given.output)
                    : check(&work);
    dg_check_files_clear(work.files, work.n_files);
    free(work.files);
    free(work.outcomes);
    dg_baseline_clear(&work.baseline);
    dg_gate_clear(&given.gate);
    dg_arena_clear(&work.memory);
    return exit_code;
}

const struct dg_command dg_command_check = {
    .name = "check",
    .synopsis = "FILE...",
    .summary = "what is wrong with it: exit 1 when an error is found",
    .help =
        "A word @LIST stands for the files that LIST names, one on each line.\n"
        "Examples:\n"
        "  delegraph check model.pte\n"
        "  delegraph check build/*.pte --fail-on warning --ignore format\n"
        "  delegraph check -r build --report sarif=findings.sarif --report github=-\n"
        "  delegraph check model.pte --select memory,graph/acyclic --format json\n",
    .run = run,
    .options = options,
    .least = 0,
    .most = -1,
    .files = -1,
};
