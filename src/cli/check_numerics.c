/* What `run` says of a program that is checked: findings of the rules numerics/... */
#include "cli/check_numerics.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "cli/run_session.h"
#include "exec/run_remarks.h"
#include "graph/pair_sql.h"

/* A program and what it is held to. */
struct job {
    const struct dg_gate *gate;
    char **paths;
    size_t n_paths;
    struct dg_store *store; /* where it was checked */
    struct dg_arena *memory;
    struct dg_check_runs *out;
};

/* A method of the program, and the model that it was made from. */
struct pair {
    const char *method;      /* NULL: the one that run takes */
    const char *path, *name; /* of the model; NULL: values are expected */
};

/* Limits of a policy may wait for those who run the program. */
static enum dg_status refuse_alone(const struct dg_gate *gate, struct dg_error *err)
{
    const struct dg_numerics_options *given = &gate->numerics;
    const struct dg_policy_entry *limit =
        dg_policy_last(&gate->policy.given, DG_POLICY_NUMERICS);
    const char *name = given->inputs.n_items     ? "inputs"
                       : given->expected.n_items ? "expected"
                       : limit                   ? limit->name.data
                                                 : NULL;

    return name ? dg_fail(err, DG_ERR_USAGE, "--%s is about --numerics, which runs it",
                          name)
                : DG_OK;
}

/* A rule that does not run would pass whatever the program gives. */
static enum dg_status check_selection(const struct dg_selection *selection,
                                      struct dg_error *err)
{
    static const char *const rules[] = {"numerics/refused", "numerics/output",
                                        "numerics/compared"};

    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
        if (!dg_selects(selection, rules[i]))
            return dg_fail(err, DG_ERR_USAGE,
                           "--numerics: --select or --ignore leaves %s out", rules[i]);
    return DG_OK;
}

enum dg_status dg_numerics_options_check(const struct dg_gate *gate, size_t n_files,
                                         struct dg_error *err)
{
    const struct dg_numerics_options *given = &gate->numerics;

    if (!given->run)
        return refuse_alone(gate, err);
    if (n_files > 1 && (given->inputs.n_items || given->expected.n_items))
        return dg_fail(err, DG_ERR_USAGE,
                       "%s is for one program, and %zu are given: check each by itself",
                       given->inputs.n_items ? "--inputs" : "--expected", n_files);
    return check_selection(&gate->selection, err);
}

/* Whose outputs those of the program should be. */
static const char *held_to(const struct job *job, const struct pair *pair)
{
    const struct dg_list *expected = &job->gate->numerics.expected;

    return expected->n_items ? expected->items[0]
           : pair->path      ? pair->path
                             : "the test sets of the bundle";
}

/* "; the least SNR 24.3 dB" of what was compared and is not equal. */
static void write_snr(struct dg_writer *out, const struct dg_numeric_answer *answer)
{
    double least = INFINITY;

    for (size_t i = 0; i < answer->n_results; i++) {
        const struct dg_judgement *judgement = &answer->results[i].judgement;
        double snr = judgement->metrics.snr_db;

        if (judgement->verdict != DG_VERDICT_SKIP && isfinite(snr))
            least = fmin(least, snr);
    }
    if (isfinite(least))
        dg_print(out, "; the least SNR %.1f dB", least);
}

/* What is neither None nor a text. */
static void add_outputs(struct dg_outcome_run *run,
                        const struct dg_numeric_answer *answer, struct dg_arena *memory)
{
    run->outputs = dg_alloc(memory, answer->n_results + 1, sizeof(*run->outputs));
    for (size_t i = 0; i < answer->n_results; i++) {
        const struct dg_numeric_result *result = &answer->results[i];
        enum dg_verdict verdict = result->judgement.verdict;

        if (result->counted)
            run->outputs[run->n_outputs++] = (struct dg_outcome_output){
                dg_copy_text(memory, dg_text(result->name)),
                dg_copy_text(memory, dg_text(result->judgement.why)),
                verdict == DG_VERDICT_FAIL, verdict == DG_VERDICT_SKIP};
    }
}

static void add_run(const struct job *job, const struct dg_numeric_place *place,
                    const struct dg_run_session *session)
{
    const struct dg_run_answer answer = dg_run_session_answer(session);
    const int64_t *counts = session->answer.counts;
    struct dg_outcome_run *run = &job->out->runs[job->out->n_runs++];
    struct dg_writer json = {0}, sentence = {0};

    dg_print(&sentence, "%s held to %s, inputs: %s: ", place->method, place->held_to,
             answer.inputs);
    dg_run_write_counts(&sentence, counts);
    write_snr(&sentence, &session->answer);
    dg_run_json(&json, &answer);
    json.size -= json.size > 0; /* the end of its last line */
    add_outputs(run, &session->answer, job->memory);
    run->method = dg_copy_text(job->memory, dg_text(place->method));
    run->passed = counts[DG_VERDICT_PASS] > 0 && !counts[DG_VERDICT_FAIL];
    run->sentence = dg_keep(job->memory, &sentence);
    run->json = dg_keep(job->memory, &json);
}

/* The path of what is checked stands in front of what failed in it. */
static const char *blame(const struct job *job, const struct dg_run_session *session,
                         const char *text)
{
    const char *path = job->paths[0];
    size_t size = strlen(path);

    if (!strncmp(text, path, size) && !strncmp(text + size, ": ", 2))
        return text + size + 2;
    return session->given->against && !session->refused ? NULL : text;
}

/* A run that did not come to its end. What is no fault of a file is no finding. */
static enum dg_status remark_failure(const struct job *job,
                                     const struct dg_numeric_place *place,
                                     const struct dg_run_session *session,
                                     struct dg_error *err)
{
    const char *own = blame(job, session, err->text);
    struct dg_writer text = {0};
    enum dg_status status;

    if (err->status != DG_ERR_FORMAT)
        return err->status;
    if (own)
        dg_print(&text, "%s", own);
    else
        dg_print(&text, "nothing is compared: %s: %s", session->program.input.path,
                 err->text);
    *err = (struct dg_error){0};
    status = dg_numeric_remark(place, own ? "numerics/refused" : "numerics/compared",
                               DG_NO_OUTPUT, dg_written(&text), err);
    dg_writer_clear(&text);
    return status;
}

static enum dg_status run(const struct job *job, const struct pair *pair,
                          const struct dg_numeric_place *place,
                          struct dg_run_session *session, struct dg_error *err)
{
    struct dg_run_calls *calls = &session->calls;
    enum dg_status status = DG_OK;
    bool ended;

    if (!pair->path && !calls->calls->expected)
        return dg_numeric_remark(place, "numerics/compared", DG_NO_OUTPUT,
                                 dg_text("nothing is compared: the bundle expects "
                                         "nothing of it; --program FILE.pt2 or "
                                         "--expected FILE say what it should give"),
                                 err);
    status = dg_numeric_run(&session->answer, &session->request, calls->calls,
                            calls->n_calls, err);
    ended = !status;
    if (ended)
        add_run(job, place, session);
    else
        status = remark_failure(job, place, session, err);
    return status ? status
                  : dg_numeric_remark_results(place, &session->answer, ended, err);
}

/* Of the program that is checked, the method that is run; *ran names it. */
static enum dg_status run_pair(const struct job *job, const struct pair *pair,
                               const char **ran, struct dg_error *err)
{
    const struct dg_numerics_options *numerics = &job->gate->numerics;
    struct dg_run_options given = dg_run_options_default();
    struct dg_run_session session = {.given = &given, .answer.culprit = SIZE_MAX};
    struct dg_numeric_place place = {job->store, pair->method, held_to(job, pair)};
    char **paths = dg_alloc(job->memory, job->n_paths, sizeof(*paths));
    enum dg_status status;

    memcpy(paths, job->paths, job->n_paths * sizeof(*paths));
    given.artifact = pair->path ? NULL : job->gate->artifact;
    if (pair->path) {
        paths[0] = (char *)pair->path;
        given.method = pair->name;
        given.against = job->paths[0];
        given.against_artifact = job->gate->artifact;
        given.against_method = pair->method;
    }
    given.inputs = numerics->inputs;
    given.expected = numerics->expected;
    given.limits = numerics->limits;
    given.data = job->gate->target.data;
    status = dg_run_prepare(&session, paths, (int)job->n_paths, err);
    if (!place.method && session.program.schedule.method)
        place.method = dg_copy(job->memory, dg_text(session.program.schedule.method));
    *ran = place.method;
    if (!status)
        status = run(job, pair, &place, &session, err);
    else if (session.refused)
        status = remark_failure(job, &place, &session, err);
    dg_run_session_close(&session);
    return status;
}

/* Without names that a 0 ends early: nobody could ask for such a method. */
static enum dg_status read_pairs(struct pair **pairs, size_t *n_pairs,
                                 const struct job *job, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        job->store,
        "SELECT DISTINCT p.name, prog.path, m.name FROM (" DG_SQL_PAIRED ") AS pair"
        " JOIN method AS p ON p.id = pair.pte_method"
        " JOIN method AS m ON m.id = pair.method"
        " JOIN artifact AS prog ON prog.id = m.artifact_id"
        " WHERE instr(CAST(p.name || m.name AS BLOB), x'00') = 0 ORDER BY p.id, m.id",
        err);

    while (dg_rows_next(&rows))
        *DG_APPEND(*pairs, *n_pairs) =
            (struct pair){dg_rows_keep(job->memory, &rows, 0).data,
                          dg_rows_keep(job->memory, &rows, 1).data,
                          dg_rows_keep(job->memory, &rows, 2).data};
    return dg_rows_close(&rows, DG_OK, err);
}

/* What has no partner is told of, too, but for what only returns a constant. */
static enum dg_status remark_others(const struct job *job,
                                    const struct dg_text_set *ran, const char *why,
                                    struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        job->store,
        "SELECT method.name FROM method JOIN artifact ON artifact.id = artifact_id"
        " WHERE companion_of IS NULL AND EXISTS (SELECT 1 FROM \"graph\" JOIN node"
        "  ON graph_id = \"graph\".id WHERE method_id = method.id) ORDER BY method.id",
        err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        struct dg_numeric_place place = {job->store, dg_rows_text(&rows, 0), NULL};

        if (dg_text_set_find(ran, dg_rows_slice(&rows, 0)) == DG_NO_TEXT)
            status = dg_numeric_remark(&place, "numerics/skipped", DG_NO_OUTPUT,
                                       dg_text(why), err);
    }
    return dg_rows_close(&rows, status, err);
}

static enum dg_status run_pairs(const struct job *job, const struct pair *pairs,
                                size_t n_pairs, const char *why, struct dg_error *err)
{
    struct dg_text_set ran = {0};
    enum dg_status status = DG_OK;

    job->out->runs = dg_alloc(job->memory, n_pairs, sizeof(*job->out->runs));
    for (size_t i = 0; i < n_pairs && !status; i++) {
        const char *method;

        status = run_pair(job, &pairs[i], &method, err);
        if (method)
            dg_text_set_add(&ran, dg_text(method));
    }
    if (!status)
        status = remark_others(job, &ran, why, err);
    dg_text_set_clear(&ran);
    return status;
}

static enum dg_status run_programs(const struct job *job, struct dg_error *err)
{
    const struct dg_numerics_options *given = &job->gate->numerics;
    struct dg_numeric_place place = {.store = job->store};
    struct pair *pairs = NULL;
    size_t n = 0;
    enum dg_status status = read_pairs(&pairs, &n, job, err);

    if (!status && n > 1 && (given->inputs.n_items || given->expected.n_items))
        status = dg_fail(err, DG_ERR_USAGE,
                         "%s is for one method, and %zu have a model in --program",
                         given->inputs.n_items ? "--inputs" : "--expected", n);
    if (!status && n)
        status = run_pairs(job, pairs, n,
                           "it is not run: no model of --program has its name", err);
    else if (!status)
        status = dg_numeric_remark(
            &place, "numerics/compared", DG_NO_OUTPUT,
            dg_text("nothing is compared: no model of --program has the name of a"
                    " method"),
            err);
    free(pairs);
    return status;
}

/* What is read twice is a file, and one program. */
static enum dg_status check_input(const struct job *job, const struct dg_input *input,
                                  struct dg_error *err)
{
    int64_t n = 0;

    if (!input->mapped && input->file.size)
        return dg_fail(err, DG_ERR_USAGE,
                       "--numerics reads the program once more: it takes a file that"
                       " is no pipe");
    if (!job->gate->target.programs.n_items && !job->gate->numerics.expected.n_items &&
        !dg_bundle_recognises(input->file))
        return dg_fail(err, DG_ERR_USAGE,
                       "--numerics: there is nothing to hold it to; give the program"
                       " that it was made from (--program FILE.pt2), or what it should"
                       " give (--inputs IN.npz --expected OUT.npz)");
    if (dg_store_int(job->store,
                     "SELECT count(*) FROM artifact WHERE companion_of IS NULL", 0, &n,
                     err))
        return err->status;
    return n == 1
               ? DG_OK
               : dg_fail(err, DG_ERR_USAGE,
                         "it holds %lld programs; --numerics is for one", (long long)n);
}

enum dg_status dg_check_numerics(struct dg_check_runs *out, const struct dg_gate *gate,
                                 char **paths, size_t n_paths,
                                 const struct dg_input *input, struct dg_arena *memory,
                                 struct dg_error *err)
{
    static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;
    const struct job job = {gate, paths, n_paths, input->store, memory, out};
    enum dg_status status = check_selection(&gate->selection, err);

    if (!status)
        status = check_input(&job, input, err);
    if (!status) /* rules numerics/... then have something to say */
        status = dg_store_set(input->store, "numerics", dg_text(""), err);
    if (status)
        return status;
    pthread_mutex_lock(&turn);
    status =
        gate->target.programs.n_items
            ? run_programs(&job, err)
            : run_pairs(&job, &(struct pair){0}, 1,
                        "it is not run: what is expected is of another method", err);
    pthread_mutex_unlock(&turn);
    return status ? status : dg_numeric_place_remarks(input->store, err);
}
