/* explain: why calls stay on the host, and what would change it. */
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/artifact_option.h"
#include "cli/partitioner_options.h"
#include "cli/plan_option.h"
#include "partition/explain.h"
#include "reports/explain.h"

enum { MOST_SIMULATED = 12 };

struct given {
    struct dg_partitioner_options run;
    struct dg_plan_option plan;
    const char *format, *output, *what_if, *artifact;
};

static const struct dg_option options[] = {
    DG_PLAN_OPTION(struct given, plan),
    DG_FORCE_OPTION(struct given, plan),
    {DG_OPTION_TEXT, "what-if", 0, "OPS", offsetof(struct given, what_if),
     "partition again with these operators supported: before and after"},
    DG_PARTITIONER_OPTIONS(struct given, run, "torch|aoti|single|group|min"),
    {DG_OPTION_TEXT, "method", 0, "NAME", offsetof(struct given, run.method),
     "only this method"},
    DG_ARTIFACT_OPTION(struct given, artifact),
    {DG_OPTION_CHOICE, "format", 0, "text|json", offsetof(struct given, format),
     "text for people (default), json for programs"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

static bool names_a_run(const struct dg_partitioner_options *run)
{
    return run->mode || run->groups || run->priors.n_items || run->method;
}

/* Explain the plan that was given or that the file holds, unless options ask for
 * another. */
static enum dg_status choose(struct dg_explain_request *request,
                             const struct dg_run_setup *setup,
                             const struct given *given, struct dg_store *store,
                             struct dg_error *err)
{
    bool support = dg_run_option_has_support(&given->run);
    bool run = names_a_run(&given->run);
    int64_t plans;
    enum dg_status status =
        dg_store_int(store, "SELECT count(*) FROM part_run", 0, &plans, err);

    if (given->plan.path && run)
        return dg_fail(err, DG_ERR_USAGE,
                       "--plan is a plan already: --mode, --method, --groups and "
                       "--prior would make another");
    *request = (struct dg_explain_request){.artifact = setup->request.artifact,
                                           .support = setup->support,
                                           .judge = support};
    if (!given->plan.path && (run || support || !plans))
        request->run = &setup->request;
    return status;
}

static bool has_node(const struct dg_explain_report *report)
{
    for (size_t g = 0; g < report->explanation->n_graphs; g++) {
        const struct dg_explained *graph = &report->explanation->graphs[g];

        for (uint32_t i = 0; i < graph->nodes->graph.n_nodes; i++) {
            if (dg_explain_wants(report, graph, i))
                return true;
        }
    }
    return false;
}

static enum dg_status no_such_node(const struct dg_explain_report *report,
                                   struct dg_error *err)
{
    const struct dg_explanation *explanation = report->explanation;
    struct dg_arena memory = {0};
    const char **names, *near;
    size_t n = 0;

    for (size_t g = 0; g < explanation->n_graphs; g++)
        n += explanation->graphs[g].nodes->graph.n_nodes;
    names = dg_alloc(&memory, n, sizeof(*names));
    n = 0;
    for (size_t g = 0; g < explanation->n_graphs; g++) {
        const struct dg_nodes *nodes = explanation->graphs[g].nodes;

        for (uint32_t i = 0; i < nodes->graph.n_nodes; i++)
            names[n++] = nodes->names[i].data;
    }
    near = dg_nearest(report->node, names, n);
    dg_fail(err, DG_ERR_USAGE, "no node \"%.80s\"%s%s%s", report->node,
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    dg_arena_clear(&memory);
    return DG_ERR_USAGE;
}

/* Partitioners do not look into branches. */
static enum dg_status refuse_branch(const char *node, struct dg_store *store,
                                    struct dg_error *err)
{
    const char *slash = strrchr(node, '/');
    struct dg_rows rows;
    enum dg_status status;

    if (!slash)
        return DG_OK;
    status = dg_rows_open(&rows, store,
                          "SELECT path FROM graph JOIN node ON graph_id = graph.id"
                          " WHERE path = ?1 AND node.name = ?2",
                          err);
    if (status)
        return status;
    dg_rows_bind_text(&rows, 1, (struct dg_text){node, (size_t)(slash - node)});
    dg_rows_bind_text(&rows, 2, dg_text(slash + 1));
    if (dg_rows_next(&rows))
        status =
            dg_fail(err, DG_ERR_USAGE,
                    "\"%.80s\" is in a branch, which has no partitions of its own; "
                    "it goes where the operator goes that runs %.60s",
                    node, dg_rows_text(&rows, 0));
    return dg_rows_close(&rows, status, err);
}

static enum dg_status report(struct dg_writer *out, struct dg_explain_report *report,
                             const struct given *given, struct dg_store *store,
                             struct dg_error *err)
{
    const struct dg_explanation *explanation = report->explanation;
    struct dg_reason_group *groups = NULL;
    bool json = !strcmp(given->format, "json");

    if (report->node && !has_node(report)) {
        enum dg_status status = refuse_branch(report->node, store, err);

        return status ? status : no_such_node(report, err);
    }
    dg_plan_totals(&report->now, explanation);
    if (given->what_if) {
        enum dg_status status =
            dg_what_if(&report->after, explanation, given->what_if, err);

        if (status)
            return status;
    }
    if (json || (!report->node && !given->what_if))
        report->n_groups =
            dg_reason_groups(&groups, explanation, report->node ? 0 : MOST_SIMULATED);
    report->groups = groups;
    (json ? dg_write_explain_json : dg_write_explain_text)(out, report);
    free(groups);
    return DG_OK;
}

static enum dg_status answer(struct dg_writer *out, const struct given *given,
                             const struct dg_input *input, const char *node,
                             struct dg_error *err)
{
    struct dg_run_setup setup;
    struct dg_explain_request request;
    struct dg_explanation explanation = {0};
    struct dg_explain_report wanted = {.explanation = &explanation,
                                       .path = input->path,
                                       .node = node,
                                       .what_if = given->what_if};
    enum dg_status status =
        dg_plan_option_apply(&given->plan, DG_PLAN_WARNS, input, err);

    if (!status && node && given->what_if)
        status = dg_fail(err, DG_ERR_USAGE,
                         "--what-if is about the whole program; expected no NODE");
    if (status)
        return status;
    status = dg_run_setup(&setup, &given->run, input, err);
    wanted.ir = setup.request.ir;
    wanted.exact = setup.request.exact;
    if (!status)
        status = dg_run_notes(&given->run, &setup.request, input, err);
    if (!status)
        status = dg_run_note_delegates(&given->run, setup.request.artifact, input, err);
    if (!status)
        status = choose(&request, &setup, given, input->store, err);
    wanted.takes_all = !status && request.run && dg_run_takes_all(request.run);
    if (!status)
        status = dg_explain(&explanation, &request, input->store, err);
    if (!status)
        status = report(out, &wanted, given, input->store, err);
    dg_explanation_clear(&explanation);
    dg_run_setup_clear(&setup);
    return status;
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "text"};
    struct dg_input input = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    enum dg_status status;

    if (dg_options_parse(&given, &dg_command_explain, &argc, argv, &err))
        return dg_complain(&err);
    given.run.force = given.plan.force;
    status = dg_input_open(&input, argv[1], DG_HASH_NONE, &err);
    if (!status)
        status = dg_artifact_choose(&input, given.artifact, &err);
    if (!status)
        status = answer(&out, &given, &input, argc > 2 ? argv[2] : NULL, &err);
    dg_input_close(&input);
    if (!status)
        return dg_deliver(given.output, &out, DG_EXIT_FINE);
    dg_writer_clear(&out);
    return dg_complain_about(argv[1], &err);
}

const struct dg_command dg_command_explain = {
    .name = "explain",
    .synopsis = "FILE [NODE]",
    .summary = "why calls stay on the host, what that costs, and what if they did not",
    .help = "Explains the plan in the file, that of --plan, or a partitioner's. CALLS\n"
            "SAVED: fewer calls of delegates if the operator were supported, whatever\n"
            "its reason; below 0: more.\n"
            "FLOPs count by shapes, symbolic sizes by their upper bounds.\n"
            "\n"
            "Examples:\n"
            "  delegraph explain model.pt2 --backend xnnpack\n"
            "  delegraph explain model.pt2 cumsum --backend vulkan\n"
            "  delegraph explain model.pt2 --unsupported-ops aten::gelu --what-if "
            "aten::gelu\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = 2,
    .files = 1,
};
