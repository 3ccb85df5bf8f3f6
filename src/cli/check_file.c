/* The rules over one program after another. */
#include "cli/check_file.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_set.h"
#include "cli/answer.h"
#include "cli/check_numerics.h"
#include "cli/file_words.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "formats/input.h"

/* A file while it is looked at. */
struct check {
    const struct dg_check_how *how;
    struct dg_check_file *file;
    struct dg_gate gate; /* as it is for this file */
    struct dg_store *store;
    struct dg_checkout checkout;
    struct dg_check_runs runs;
    struct dg_rule_met *rules;
    size_t n_rules;
};

static void on_rule(void *context, const char *id, double seconds,
                    const char *not_checked)
{
    struct check *check = context;
    struct dg_arena *memory = &check->file->memory;

    *DG_APPEND(check->rules, check->n_rules) = (struct dg_rule_met){
        dg_copy(memory, dg_text(id)), seconds,
        not_checked ? dg_copy(memory, dg_text(not_checked)) : NULL};
}

/* Programs of a store are not files that are here: they keep the names they had. */
static const char *name_entry(const struct check *check, const char *path)
{
    const struct dg_check_file *file = check->file;
    const struct dg_baseline *baseline = check->how->gate->baseline;

    if (!baseline)
        return NULL;
    return strcmp(path, file->paths[0])
               ? path
               : dg_place_from(baseline->folder, path, &check->file->memory);
}

/* A budget is at the line of the policy that set it. */
static void place_budgets(const struct check *check, struct dg_outcome *outcome)
{
    const struct dg_policy *policy = &check->gate.policy.policy;
    struct dg_arena *memory = &check->file->memory;

    for (size_t i = 0; i < outcome->n_findings; i++) {
        struct dg_outcome_finding *finding = &outcome->findings[i];
        const struct dg_policy_entry *entry =
            dg_policy_budget(check->gate.part, finding->rule, finding->message.data);

        if (!entry || entry->option || finding->source.data)
            continue;
        finding->source = dg_policy_origin(policy, entry, memory);
        finding->at = (struct dg_source){policy->place, entry->line};
    }
}

static enum dg_status add_outcome(struct check *check, int64_t artifact,
                                  struct dg_error *err)
{
    struct dg_check_file *file = check->file;
    struct dg_outcome *outcome = DG_APPEND(file->outcomes, file->n_outcomes);
    enum dg_status status = dg_outcome_read(
        outcome, check->store, artifact,
        check->how->source_root ? &check->checkout : NULL, &file->memory, err);

    if (!status)
        place_budgets(check, outcome);
    outcome->entry = status ? NULL : name_entry(check, outcome->path);
    outcome->numerics = check->how->gate->numerics.run;
    outcome->runs = check->runs.runs;
    outcome->n_runs = check->runs.n_runs;
    return status;
}

static enum dg_status add_outcomes(struct check *check, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        check->store, "SELECT id FROM artifact WHERE companion_of IS NULL ORDER BY id",
        err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = add_outcome(check, dg_rows_int(&rows, 0), err);
    status = dg_rows_close(&rows, status, err);
    if (!status && !check->file->n_outcomes)
        status = dg_fail(err, DG_ERR_FORMAT, "no program is in it");
    return status;
}

static enum dg_status look(struct check *check, struct dg_input *input,
                           struct dg_store **spare, struct dg_error *err)
{
    const struct dg_check_how *how = check->how;
    char **paths = check->file->paths;
    size_t n_paths = check->file->n_paths;
    bool alone = n_paths == 1 && dg_gate_alone(how->gate);
    enum dg_status status = DG_OK;

    if (how->source_root)
        status = dg_checkout_open(&check->checkout, how->source_root,
                                  &check->file->memory, err);
    if (!status)
        status = dg_input_open_next(input, spare, paths[0],
                                    alone ? DG_HASH_EQUAL : DG_HASH_QUICK, err);
    if (!status)
        status = dg_artifact_choose(input, how->gate->artifact, err);
    check->store = input->store;
    if (!status)
        status = dg_gate_fit_input(&check->gate, input, &check->file->memory, err);
    if (!status)
        dg_checkout_use(&check->checkout, input->store);
    if (!status)
        status = dg_join_companions(input, (const char *const *)paths + 1, n_paths - 1,
                                    "data", DG_HASH_QUICK, err);
    if (!status)
        status = dg_gate_join(&check->gate, input, err);
    if (!status && check->gate.numerics.run)
        status = dg_check_numerics(&check->runs, &check->gate, paths, n_paths, input,
                                   &check->file->memory, err);
    if (!status)
        status = dg_gate_verify(&check->gate, input->store, on_rule, check, err);
    return status ? status : add_outcomes(check, err);
}

/* Of a store with several programs rules were met that are about the kind of another.
 */
static void leave_out_foreign(const struct check *check, struct dg_rule_met *rules,
                              const char *kinds)
{
    for (size_t i = 0; i < check->n_rules; i++) {
        const struct dg_rule *rule =
            dg_rule_find(rules[i].id, check->gate.selection.user);

        if (rule && !rules[i].not_checked && dg_rule_is_foreign(rule, kinds))
            rules[i].not_checked =
                dg_format(&check->file->memory, DG_RULE_FOREIGN, rule->level).data;
    }
}

static void share_rules(struct check *check, struct dg_outcome *outcome)
{
    struct dg_arena *memory = &check->file->memory;
    struct dg_rule_met *rules = dg_alloc(memory, check->n_rules, sizeof(*rules));

    if (check->n_rules)
        memcpy(rules, check->rules, check->n_rules * sizeof(*rules));
    if (check->file->n_outcomes > 1)
        leave_out_foreign(check, rules, outcome->kinds);
    outcome->rules = rules;
    outcome->n_rules = check->n_rules;
}

/* Formats say which program it is. */
static const char *without_path(const struct dg_check_file *file)
{
    size_t size = strlen(file->paths[0]);
    const char *text = file->err.text;

    return !strncmp(text, file->paths[0], size) && !strncmp(text + size, ": ", 2)
               ? text + size + 2
               : text;
}

static void check_file(const struct dg_check_how *how, struct dg_check_file *file,
                       struct dg_store **spare)
{
    struct check check = {.how = how, .file = file, .gate = *how->gate};
    struct dg_input input = {0};
    const char *place = file->paths[0];

    if (look(&check, &input, spare, &file->err)) {
        file->n_outcomes = 0;
        if (check.checkout.path)
            place = dg_source_relative(&check.checkout, place);
        *DG_APPEND(file->outcomes, file->n_outcomes) = (struct dg_outcome){
            .path = file->paths[0], .place = place, .trouble = without_path(file)};
    } else {
        for (size_t i = 0; i < file->n_outcomes; i++)
            share_rules(&check, &file->outcomes[i]);
    }
    free(check.rules);
    dg_checkout_close(&check.checkout);
    dg_input_close_before_next(&input, spare);
}

/* What threads share: the number of the next file, the options, which nobody writes,
 * the progress, which has a lock, and the files, each of which is written by the one
 * thread that took it; beneath, the list of what is mapped (formats/input.c) and
 * SQLite's bound on memory while rules of users run (store/sandbox.c). Runs of programs
 * (cli/check_numerics.c) count the memory of all in one place and use all processors by
 * themselves: one at a time. All else belongs to one of the threads. */
struct work {
    const struct dg_check_how *how;
    struct dg_check_file *files;
    size_t n_files;
    atomic_size_t next;
    struct dg_progress progress;
};

static void *take_turns(void *context)
{
    struct work *work = context;
    struct dg_store *spare = NULL;
    size_t i;

    while ((i = atomic_fetch_add(&work->next, 1)) < work->n_files) {
        check_file(work->how, &work->files[i], &spare);
        dg_progress_step(&work->progress);
    }
    dg_store_close(spare);
    return NULL;
}

/* Of which this thread is one. A system that gives fewer makes it slower, not wrong. */
static void run_threads(struct work *work, size_t n)
{
    pthread_t *threads = calloc(n, sizeof(*threads));
    size_t n_begun = 0;

    while (threads && n_begun + 1 < n &&
           !pthread_create(&threads[n_begun], NULL, take_turns, work))
        n_begun++;
    take_turns(work);
    for (size_t i = 0; i < n_begun; i++)
        pthread_join(threads[i], NULL);
    free(threads);
}

void dg_check_files(const struct dg_check_how *how, struct dg_check_file *files,
                    size_t n_files, int64_t n_threads)
{
    struct work work = {.how = how, .files = files, .n_files = n_files};
    size_t n = dg_option_threads(n_threads);

    dg_progress_begin(&work.progress, "programs", n_files);
    run_threads(&work, n < n_files ? n : n_files);
    dg_progress_end(&work.progress);
}

/* A program and the .ptd files behind it are checked as one. */
static size_t n_together(char **paths, size_t n_paths)
{
    size_t n = 1;

    if (dg_input_is_data(paths[0]))
        return n;
    while (n < n_paths && dg_input_is_data(paths[n]))
        n++;
    return n;
}

/* Of a program that is named twice its findings count once. */
static bool is_new(struct dg_text_set *seen, const char *path, struct dg_arena *memory)
{
    uint32_t n = seen->n_texts;

    return dg_text_set_add(seen, dg_file_identity(path, memory)) == n;
}

struct dg_check_file *dg_check_files_make(size_t *n_files, char **paths, size_t n_paths)
{
    struct dg_check_file *files = NULL;
    struct dg_text_set seen = {0};
    struct dg_arena memory = {0};

    *n_files = 0;
    for (size_t i = 0, n; i < n_paths; i += n) {
        n = n_together(paths + i, n_paths - i);
        if (n > 1 || is_new(&seen, paths[i], &memory))
            *DG_APPEND(files, *n_files) =
                (struct dg_check_file){.paths = paths + i, .n_paths = n};
    }
    dg_text_set_clear(&seen);
    dg_arena_clear(&memory);
    return files;
}

void dg_check_files_clear(struct dg_check_file *files, size_t n_files)
{
    for (size_t i = 0; i < n_files; i++) {
        free(files[i].outcomes);
        dg_arena_clear(&files[i].memory);
    }
}

int dg_check_files_complain(const struct dg_check_file *files, size_t n_files)
{
    int exit_code = DG_EXIT_FINE;

    for (size_t i = 0; i < n_files; i++) {
        if (files[i].err.status)
            exit_code = dg_worse_exit(
                exit_code, dg_complain_about(files[i].paths[0], &files[i].err));
    }
    return exit_code;
}

struct dg_outcome *dg_check_files_outcomes(size_t *n_outcomes,
                                           const struct dg_check_file *files,
                                           size_t n_files)
{
    struct dg_outcome *outcomes = NULL;

    *n_outcomes = 0;
    for (size_t i = 0; i < n_files; i++) {
        for (size_t k = 0; k < files[i].n_outcomes; k++)
            *DG_APPEND(outcomes, *n_outcomes) = files[i].outcomes[k];
    }
    return outcomes;
}
