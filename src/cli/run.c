/* run: a program executed, and every output judged. */
#include <stdio.h>
#include <string.h>

#include "cli/numerics_options.h"
#include "cli/run_coverage.h"
#include "cli/run_reduce.h"
#include "cli/run_state.h"

#define RUN_OPTION(TYPE, name, argument, field, help)                                  \
    {                                                                                  \
        DG_OPTION_##TYPE, name, 0, argument, offsetof(struct dg_run_options, field),   \
            help                                                                       \
    }

static const struct dg_option options[] = {
    RUN_OPTION(TEXT, "method", "NAME", method,
               "which method; default forward, or the first"),
    RUN_OPTION(
        FILES, "inputs", "FILE", inputs,
        "values of one call: .npz, a folder of .npy, torch.save, .bpte; repeatable"),
    RUN_OPTION(FILES, "expected", "FILE", expected,
               "what a call should give, in the same forms; default: the reference"),
    RUN_OPTION(FILES, "actual", "FILE", actual,
               "what a device gave: held to --expected, and nothing is run"),
    DG_ARTIFACT_OPTION(struct dg_run_options, artifact),
    DG_TOLERANCE_OPTIONS(struct dg_run_options, limits),
    RUN_OPTION(COUNT, "seed", "N", seed, "random inputs instead of the program's own"),
    RUN_OPTION(TEXT, "device", "cpu|cuda|cuda:N", device, "where to run; default cpu"),
    RUN_OPTION(FLAG, "require-gpu", NULL, require_gpu,
               "fail with 4 where there is none, instead of running on the CPU"),
    RUN_OPTION(FLAG, "tf32", NULL, tf32,
               "let products on the GPU round inputs to TF32"),
    RUN_OPTION(TEXT, "partition", "TAG", choice.partition,
               "only this partition of the newest plan, fed by the reference"),
    RUN_OPTION(TEXT, "nodes", "FIRST..LAST", choice.nodes,
               "only these nodes, in execution order"),
    RUN_OPTION(TEXT, "around", "NODE", choice.around,
               "only this node and its neighbours"),
    RUN_OPTION(COUNT, "hops", "N", choice.hops, "how far around; default 1"),
    DG_PLAN_OPTION(struct dg_run_options, plan),
    DG_FORCE_OPTION(struct dg_run_options, plan),
    RUN_OPTION(FILE, "against", "FILE", against,
               "judge that program by this one: both take the same inputs"),
    RUN_OPTION(FLAG, "each", NULL, each, "judge every node, too"),
    RUN_OPTION(FLAG, "isolate", NULL, isolate,
               "feed each node, or partition of the plan, with reference values"),
    RUN_OPTION(FLAG, "bisect", NULL, bisect, "name the first node beyond its floor"),
    RUN_OPTION(TEXT, "reduce", "DIR", reduce,
               "write the least part that shows what is wrong; implies --bisect"),
    RUN_OPTION(COUNT, "repeat", "N", repeats, "run N times: equal bit for bit?"),
    RUN_OPTION(FILES, "data", "FILE", data,
               "a .ptd of the program; it may also stand behind the .pte"),
    RUN_OPTION(STREAM, "save", "FILE", save,
               "write the outputs of the last call as .npz"),
    RUN_OPTION(STORE, "store", "DB", store, "write program and results as a store"),
    RUN_OPTION(COUNT, "max-skip", "N", max_skip,
               "exit with 1 when more outputs were not compared"),
    RUN_OPTION(FLAG, "coverage", NULL, coverage,
               "which nodes can be run on the CPU and on CUDA; nothing is run"),
    RUN_OPTION(COUNT, "threads", "N", threads, "default: all processors"),
    RUN_OPTION(CHOICE, "format", "text|json", format,
               "text for people (default), json for programs"),
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct dg_run_options, output),
     "write there instead of to standard output"},
    {0},
};

/* Nodes that a quantizer put in have no lines of the model, and some no module: then
 * those of what made their input are told. */
static const char origin_sql[] =
    "WITH RECURSIVE back(id, n) AS (SELECT ?1, 0 UNION ALL"
    "  SELECT (SELECT src FROM edge WHERE dst = back.id ORDER BY pos LIMIT 1), n + 1"
    "   FROM back JOIN node ON node.id = back.id JOIN op ON op.id = op_id"
    "  WHERE n < 3 AND op.name LIKE '%quantize/_%' ESCAPE '/')"
    "SELECT module, file, line FROM back JOIN v_node ON node_id = id"
    " ORDER BY file IS NULL, n LIMIT 1";

/* Module and Python line of the culprit's node. */
static enum dg_status find_origin(struct dg_run_session *session,
                                  struct dg_run_origin *origin, struct dg_error *err)
{
    const struct dg_numeric_answer *answer = &session->answer;
    struct dg_store *store = session->program.input.store;
    struct dg_rows rows;
    enum dg_status status;

    if (answer->culprit == SIZE_MAX)
        return DG_OK;
    status = dg_store_add_views(store, err);
    if (!status)
        status = dg_rows_open(&rows, store, origin_sql, err);
    if (status)
        return status;
    dg_rows_bind_int(
        &rows, 1,
        session->request.schedule->steps[answer->steps[answer->culprit].step].node_id);
    if (dg_rows_next(&rows)) {
        if (!dg_rows_null(&rows, 0))
            origin->module = dg_copy(&session->memory, dg_rows_slice(&rows, 0));
        if (!dg_rows_null(&rows, 1))
            origin->file = dg_copy(&session->memory, dg_rows_slice(&rows, 1));
        origin->line = dg_rows_int(&rows, 2);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status print(struct dg_run_session *session, struct dg_writer *out,
                            struct dg_error *err)
{
    const struct dg_run_options *given = session->given;
    struct dg_run_answer answer = dg_run_session_answer(session);
    enum dg_status status = find_origin(session, &answer.origin, err);

    if (!status)
        (strcmp(given->format, "json") ? dg_run_text : dg_run_json)(out, &answer);
    return status;
}

/* Nothing compared is no success, unless that was allowed. */
static int verdict(const struct dg_run_session *session)
{
    const int64_t *counts = session->answer.counts;
    int64_t most = session->given->max_skip;
    const struct dg_numeric_answer *answer = &session->answer;
    bool failed = counts[DG_VERDICT_FAIL] > 0 || answer->culprit != SIZE_MAX;
    bool compared = counts[DG_VERDICT_PASS] > 0;

    for (size_t i = 0; i < answer->n_steps; i++) {
        failed = failed || answer->steps[i].judgement.verdict == DG_VERDICT_FAIL;
        compared = compared || answer->steps[i].judgement.verdict == DG_VERDICT_PASS;
    }
    if (session->given->repeats > 1 && !answer->repeats_equal)
        failed = true;
    if (most < 0 && !compared)
        failed = true;
    if (most >= 0 && counts[DG_VERDICT_SKIP] > most)
        failed = true;
    return failed ? DG_EXIT_POLICY : DG_EXIT_FINE;
}

/* What the user may take for the values of inputs of his own. */
static void note_random(const struct dg_run_session *session)
{
    const struct dg_run_options *given = session->given;

    if (given->expected.n_items && !given->inputs.n_items && given->seed < 0 &&
        session->calls.seed >= 0 && !given->actual.n_items && !dg_verbosity.quiet)
        fprintf(stderr, "delegraph: note: without --inputs, --expected is held to what "
                        "random inputs give\n");
}

/* What cannot be taken out is told of; the verdict is that of the run. */
static enum dg_status reduce(struct dg_run_session *session, struct dg_error *err)
{
    enum dg_status status = dg_run_reduce(session, err);

    if (status != DG_ERR_DEVICE)
        return status;
    if (!dg_verbosity.quiet)
        fprintf(stderr, "delegraph: note: nothing is written to %s: %s\n",
                session->given->reduce, err->text);
    return DG_OK;
}

static enum dg_status execute(struct dg_writer *out, struct dg_run_session *session,
                              int *exit_code, struct dg_error *err)
{
    struct dg_error late = {0}, refused = {0};
    enum dg_status status, told = DG_OK, reduced = DG_OK;

    status = dg_numeric_run(&session->answer, &session->request, session->calls.calls,
                            session->calls.n_calls, err);
    if (!status && session->given->reduce)
        reduced = reduce(session, &refused);
    if (!status || session->answer.n_results)
        told = print(session, out, &late);
    *exit_code = verdict(session);
    if (!status && !told && *exit_code == DG_EXIT_POLICY)
        told = dg_run_note_state(session, &late);
    if (!status && !told && session->given->save)
        told = dg_run_save(session, &late);
    if (!status && !told && session->given->store)
        told = dg_run_write_store(session, &late);
    if (!status)
        *err = told ? late : refused;
    return status ? status : told ? told : reduced;
}

static int run(int argc, char **argv)
{
    struct dg_run_options given = dg_run_options_default();
    struct dg_run_session session = {.given = &given};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    int exit_code = DG_EXIT_FINE;
    enum dg_status status =
        dg_options_parse(&given, &dg_command_run, &argc, argv, &err);

    if (status)
        return dg_complain(&err);
    session.answer.culprit = SIZE_MAX;
    if (given.reduce)
        status = dg_run_reduce_check(&session, &err);
    if (!status)
        status = dg_run_prepare(&session, argv + 1, argc - 1, &err);
    if (!status && !given.coverage)
        note_random(&session);
    if (!status)
        status = (given.coverage ? dg_run_coverage : execute)(&out, &session,
                                                              &exit_code, &err);
    if (out.size)
        exit_code = dg_deliver(given.output, &out, exit_code);
    if (status)
        exit_code = dg_worse_exit(exit_code, dg_complain_about(argv[1], &err));
    dg_run_session_close(&session);
    return exit_code;
}

const struct dg_command dg_command_run = {
    .name = "run",
    .synopsis = "FILE [DATA.ptd...]",
    .summary = "execute it, and judge every output: is what differs rounding?",
    .help =
        "Several --inputs are successive calls: buffers carry over. Exit 1 when an "
        "output\nfails, or nothing was compared; doc/numerics.md has the policy.\n\n"
        "Examples:\n"
        "  delegraph run model.pt2 --inputs in.npz --expected out.npz\n"
        "  delegraph run model.pt2 --against model.pte --bisect\n"
        "  delegraph run model.pt2 --device cuda --require-gpu --format json\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = -1,
    .files = -1,
};
