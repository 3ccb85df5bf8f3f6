/* baseline: findings that are known are written down, so that check fails for new ones.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/output.h"
#include "cli/against.h"
#include "cli/check_file.h"
#include "cli/file_words.h"
#include "cli/options.h"
#include "gate/day.h"
#include "gate/policy_apply.h"

struct given {
    const char *baseline, *reason, *owner, *expires;
    struct dg_list folders;
    struct dg_gate gate;
    int64_t jobs;
};

static const struct dg_option options[] = {
    {DG_OPTION_TEXT, "baseline", 0, "FILE", offsetof(struct given, baseline),
     "the file to write, or to bring up to date"},
    {DG_OPTION_TEXT, "reason", 0, "TEXT", offsetof(struct given, reason),
     "of new entries: why they wait"},
    {DG_OPTION_TEXT, "owner", 0, "NAME", offsetof(struct given, owner),
     "of new entries: who looks after them"},
    {DG_OPTION_TEXT, "expires", 0, "DAY", offsetof(struct given, expires),
     "of new entries: they count again after that day, YYYY-MM-DD"},
    {DG_OPTION_CHOICE, "fail-on", 0, "error|warning|note",
     offsetof(struct given, gate.fail_on),
     "entries are made of findings from this severity on; default error"},
    DG_FINDING_OPTIONS(struct given, gate),
    DG_ARTIFACT_OPTION(struct given, gate.artifact),
    {DG_OPTION_LIST, "recursive", 'r', "DIR", offsetof(struct given, folders),
     "each .pte, .pt2 and .bpte in that folder and below, too"},
    {DG_OPTION_COUNT, "jobs", 'j', "N", offsetof(struct given, jobs),
     "files at a time; default 0: as many as there are processors"},
    {0},
};

struct work {
    struct given *given;
    bool adds; /* what is not there yet */
    struct dg_baseline baseline;
    struct dg_file_words words;
    struct dg_check_file *files;
    size_t n_files;
    struct dg_outcome *outcomes;
    size_t n_outcomes, n_new, n_limits;
    struct dg_arena memory;
};

static void add(struct work *work, const char *program,
                const struct dg_outcome_finding *finding)
{
    const struct given *given = work->given;
    struct dg_baseline_entry *entry =
        dg_baseline_add(&work->baseline, program, finding);
    struct dg_arena *memory = &work->baseline.memory;

    entry->known.reason = dg_copy_text(memory, dg_text(given->reason));
    entry->known.owner = dg_copy_text(memory, dg_text(given->owner));
    entry->known.expires = dg_copy_text(memory, dg_text(given->expires));
    work->n_new++;
}

/* What lets the gate fail and is not there yet. An entry of a finding that has become
 * worse says so from now on. */
static void add_missing(struct work *work, const struct dg_outcome *outcome)
{
    int fails_from = dg_gate_fails_from(&work->given->gate);

    for (size_t i = 0; i < outcome->n_findings; i++) {
        const struct dg_outcome_finding *finding = &outcome->findings[i];
        struct dg_baseline_entry *entry;

        if (finding->known || finding->severity >= fails_from ||
            !strncmp(finding->rule, "baseline/", 9) ||
            !strncmp(finding->rule, "policy/", 7))
            continue;
        if (!dg_baseline_takes(finding)) {
            work->n_limits++;
            continue;
        }
        entry = dg_baseline_find(&work->baseline, outcome->entry, finding->fingerprint);
        if (!entry)
            add(work, outcome->entry, finding);
        else if (finding->severity < entry->severity)
            entry->severity = finding->severity;
    }
}

static size_t n_gone(const struct dg_baseline *baseline)
{
    size_t n = 0;

    for (size_t i = 0; i < baseline->n_entries; i++)
        n += baseline->entries[i].gone;
    return n;
}

static void tell(const struct work *work)
{
    size_t gone = n_gone(&work->baseline), n = work->baseline.n_entries - gone;

    if (work->n_limits)
        fprintf(
            stderr,
            "delegraph: baseline: %zu finding%s of budget/... and numerics/... left "
            "out: their numbers move; a limit is raised instead\n",
            work->n_limits, work->n_limits == 1 ? "" : "s");
    if (!dg_verbosity.quiet)
        printf("%s: %zu finding%s known, %zu new, %zu gone\n", work->baseline.path, n,
               n == 1 ? " is" : "s are", work->n_new, gone);
}

/* Nothing is written where one program cannot be read: its entries would be lost. */
static int make(struct work *work)
{
    struct dg_check_how how = {.gate = &work->given->gate};
    struct dg_writer out = {0};
    int exit_code;

    dg_check_files(&how, work->files, work->n_files, work->given->jobs);
    exit_code = dg_check_files_complain(work->files, work->n_files);
    if (exit_code)
        return exit_code;
    work->outcomes =
        dg_check_files_outcomes(&work->n_outcomes, work->files, work->n_files);
    dg_baseline_apply(&work->baseline, work->outcomes, work->n_outcomes,
                      &work->given->gate.selection);
    dg_policy_apply(&work->given->gate.policy.policy, work->outcomes, work->n_outcomes,
                    &work->given->gate.policy.given, &work->given->gate.selection,
                    work->given->folders.n_items > 0);
    for (size_t i = 0; work->adds && i < work->n_outcomes; i++)
        add_missing(work, &work->outcomes[i]);
    dg_baseline_write(&out, &work->baseline);
    exit_code = dg_deliver(work->baseline.path, &out, DG_EXIT_FINE);
    if (!exit_code)
        tell(work);
    return exit_code;
}

static enum dg_status open_baseline(struct work *work, const char *verb,
                                    struct dg_error *err)
{
    const char *path = work->given->baseline;
    struct stat state;
    bool there, write = !strcmp(verb, "write"), update = !strcmp(verb, "update");
    enum dg_status status;

    work->adds = write || update;
    if (!write && !update && strcmp(verb, "prune") != 0)
        return dg_fail(err, DG_ERR_USAGE,
                       "baseline: \"%.80s\" is none of write, update, prune", verb);
    if (!path)
        return dg_fail(err, DG_ERR_USAGE, "baseline %s: --baseline FILE is missing",
                       verb);
    there = !stat(path, &state);
    if (there && S_ISDIR(state.st_mode))
        return dg_fail(err, DG_ERR_USAGE,
                       "baseline %s: %.200s is a folder, expected the name of a file",
                       verb, path);
    if (write && there)
        return dg_fail(err, DG_ERR_USAGE,
                       "baseline write: %.200s is there; baseline update keeps its "
                       "reasons and owners",
                       path);
    status = write ? dg_baseline_begin(&work->baseline, path, err)
                   : dg_baseline_read(&work->baseline, path, err);
    /* Only now: until here it was an input. */
    return status ? status : dg_output_claim(path, false, err);
}

static enum dg_status prepare(struct work *work, struct given *given, char **words,
                              size_t n_words, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    if (given->expires && !dg_is_day(dg_text(given->expires)))
        status = dg_fail(err, DG_ERR_USAGE,
                         "baseline: --expires is \"%.40s\", expected a day, for "
                         "instance 2027-01-31",
                         given->expires);
    if (!status)
        status = dg_gate_prepare(&given->gate, "baseline", &work->memory, err);
    if (!status) {
        given->baseline =
            dg_gate_word(&given->gate, DG_POLICY_BASELINE, given->baseline);
        status = open_baseline(work, words[0], err);
    }
    given->gate.baseline = &work->baseline;
    if (!status)
        status = dg_file_words_read(&work->words, words + 1, n_words - 1,
                                    &given->folders, &work->memory, err);
    if (!status) {
        work->files =
            dg_check_files_make(&work->n_files, work->words.paths, work->words.n_paths);
        status = dg_against_suits(&given->gate.target, work->n_files, err);
    }
    return status;
}

static int run(int argc, char **argv)
{
    struct given given = {.gate = {DG_GATE_START, .growth_may_wait = true}};
    struct work work = {.given = &given};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_baseline, &argc, argv, &err);
    int exit_code;

    if (!status)
        status = prepare(&work, &given, argv + 1, (size_t)argc - 1, &err);
    exit_code = status ? dg_complain(&err) : make(&work);
    dg_check_files_clear(work.files, work.n_files);
    free(work.files);
    free(work.outcomes);
    dg_baseline_clear(&work.baseline);
    dg_gate_clear(&given.gate);
    dg_arena_clear(&work.memory);
    return exit_code;
}

const struct dg_command dg_command_baseline = {
    .name = "baseline",
    .synopsis = "write|update|prune FILE...",
    .summary = "write down what is known, so that check fails for what is new",
    .help =
        "write makes the file, update adds what is new and takes out what is gone,\n"
        "prune only takes out. Entries of programs that are not named stay.\n"
        "Examples:\n"
        "  delegraph baseline write model.pte --baseline known.json --owner runtime\n"
        "  delegraph check model.pte --baseline known.json\n"
        "  delegraph baseline prune model.pte --baseline known.json\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = -1,
    .files = 0,
};
