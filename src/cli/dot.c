/* dot: a picture of a program. */
#include <limits.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/options.h"
#include "cli/plan_option.h"
#include "formats/input.h"
#include "reports/report.h"
#include "reports/svg.h"
#include "verifiers/verifier.h"

enum { LEAST_BOXES = 20 };

struct given {
    const char *method, *graph, *around, *type, *output;
    int64_t hops, max_boxes, seconds;
    struct dg_plan_option plan;
    bool no_plan;
};

static const struct dg_option options[] = {
    {DG_OPTION_TEXT, "method", 0, "NAME", offsetof(struct given, method),
     "only this method"},
    {DG_OPTION_TEXT, "graph", 0, "PATH", offsetof(struct given, graph),
     "only this graph and those inside it; '' is the method's own"},
    {DG_OPTION_TEXT, "around", 0, "NODE", offsetof(struct given, around),
     "only the neighbourhood of this node"},
    {DG_OPTION_COUNT, "hops", 0, "N", offsetof(struct given, hops),
     "how far the neighbourhood reaches (default 2)"},
    {DG_OPTION_COUNT, "max-boxes", 0, "N", offsetof(struct given, max_boxes),
     "collapse modules and runs until no more are drawn (default 300)"},
    {DG_OPTION_CHOICE, "type", 'T', "dot|svg|png", offsetof(struct given, type),
     "Graphviz text (default), or an image laid out by Graphviz"},
    {DG_OPTION_COUNT, "layout-timeout", 0, "SECONDS", offsetof(struct given, seconds),
     "give up an image after this long (default 20)"},
    DG_PLAN_OPTION(struct given, plan),
    DG_FORCE_OPTION(struct given, plan),
    {DG_OPTION_FLAG, "no-plan", 0, NULL, offsetof(struct given, no_plan),
     "draw no partitions, even if the program has tags"},
    {DG_OPTION_TEXT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

static enum dg_status check_given(const struct given *given, struct dg_error *err)
{
    if (given->max_boxes < LEAST_BOXES || given->max_boxes > INT_MAX)
        return dg_fail(err, DG_ERR_USAGE, "--max-boxes must be at least %d",
                       LEAST_BOXES);
    if (given->hops > INT_MAX)
        return dg_fail(err, DG_ERR_USAGE, "--hops is too large");
    if (given->no_plan && given->plan.path)
        return dg_fail(err, DG_ERR_USAGE, "--plan and --no-plan exclude each other");
    if (given->seconds < 1 || given->seconds > 86400)
        return dg_fail(err, DG_ERR_USAGE, "--layout-timeout must be 1 to 86400");
    return DG_OK;
}

/* The picture shows what breaks the rules of a plan. */
static enum dg_status check_plan(struct dg_store *store, struct dg_error *err)
{
    static const char *const families[] = {"partition", "constant", "control-flow",
                                           "cuda"};
    const struct dg_selection selection = {
        .select = families, .n_select = sizeof(families) / sizeof(*families)};
    int64_t n_plans;
    enum dg_status status =
        dg_store_int(store, "SELECT count(*) FROM part_run", 0, &n_plans, err);

    return status || !n_plans ? status : dg_verify(store, &selection, NULL, NULL, err);
}

static enum dg_status draw(struct dg_writer *out, const struct given *given,
                           struct dg_store *store, struct dg_error *err)
{
    struct dg_report_options wanted = {.method = given->method,
                                       .graph = given->graph,
                                       .around = given->around,
                                       .hops = (int)given->hops,
                                       .max_boxes = (int)given->max_boxes,
                                       .no_plan = given->no_plan};
    struct dg_svg_limits limits = {.seconds = (unsigned)given->seconds};
    struct dg_writer text = {0};
    enum dg_status status = given->no_plan ? DG_OK : check_plan(store, err);

    if (!status)
        status = dg_report_dot.write(&text, store, &wanted, err);
    if (!status && strcmp(given->type, "dot") == 0)
        dg_write(out, text.data, text.size);
    else if (!status)
        status = dg_svg_render(out, (struct dg_text){text.data, text.size}, given->type,
                               &limits, err);
    dg_writer_clear(&text);
    return status;
}

static int run(int argc, char **argv)
{
    struct given given = {.hops = 2, .max_boxes = 300, .type = "dot", .seconds = 20};
    struct dg_input input = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    enum dg_status status =
        dg_options_parse(&given, &dg_command_dot, &argc, argv, &err);

    if (!status)
        status = check_given(&given, &err);
    if (status)
        return dg_complain(&err);
    status = dg_input_open(&input, argv[1], DG_HASH_NONE, &err);
    if (!status)
        status = dg_plan_option_apply(&given.plan, &input, &err);
    if (!status)
        status = draw(&out, &given, input.store, &err);
    dg_input_close(&input);
    if (!status)
        return dg_deliver(given.output, &out, DG_EXIT_FINE);
    dg_writer_clear(&out);
    return dg_complain_about(argv[1], &err);
}

const struct dg_command dg_command_dot = {
    .name = "dot",
    .synopsis = "FILE|DB",
    .summary = "a picture: Graphviz text, SVG or PNG",
    .help = "Boxes are operators or instructions with the dtypes and shapes of their\n"
            "results; arrows are values. Weights and getitem are lines in labels.\n"
            "\n"
            "  delegraph dot model.pt2 -T svg -o model.svg\n"
            "  delegraph dot model.pte --around op_12 --hops 3 | dot -Tpdf >part.pdf\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = 1,
};
