/* dot: a picture of a program. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "cli/against.h"
#include "cli/answer.h"
#include "cli/compare.h"
#include "cli/gate.h"
#include "cli/options.h"
#include "formats/input.h"
#include "reports/picture/image.h"
#include "reports/picture/svg.h"
#include "reports/views/view.h"

enum {
    LEAST_BOXES = 20,
    NEAR_HOPS = 2,
    NOT_GIVEN = -1,
};

struct given {
    const char *view, *method, *graph, *around, *module, *type, *layout, *output;
    const char *old; /* that --against means */
    int64_t hops, finding, depth, max_boxes, seconds;
    struct dg_gate gate;
    bool no_plan, no_fold;
};

static const char view_names[] = ""
#define VIEW(name) "|" #name
#include "reports/views/list.h"
#undef VIEW
    ;

static const struct dg_option options[] = {
    {DG_OPTION_CHOICE, "view", 0, view_names + 1, offsetof(struct given, view),
     "what the picture shows; graph is the default"},
    {DG_OPTION_TEXT, "around", 0, "NODE", offsetof(struct given, around),
     "only the neighbourhood of this node"},
    {DG_OPTION_COUNT, "hops", 0, "N", offsetof(struct given, hops),
     "how far the neighbourhood reaches (default 2)"},
    {DG_OPTION_COUNT, "finding", 0, "N", offsetof(struct given, finding),
     "only what this finding names: its number in the report and in check --format "
     "json"},
    DG_ARTIFACT_OPTION(struct given, gate.artifact),
    {DG_OPTION_TEXT, "method", 0, "NAME", offsetof(struct given, method),
     "only this method"},
    {DG_OPTION_TEXT, "graph", 0, "PATH", offsetof(struct given, graph),
     "only this graph and those inside it, or the one that a call of a delegate runs; "
     "''"
     " is the method's own"},
    {DG_OPTION_TEXT, "module", 0, "FQN", offsetof(struct given, module),
     "only this module and those inside it, by its name in Python"},
    {DG_OPTION_COUNT, "depth", 0, "N", offsetof(struct given, depth),
     "levels of modules (default: as many as fit)"},
    {DG_OPTION_COUNT, "max-boxes", 0, "N", offsetof(struct given, max_boxes),
     "fold until no more are drawn (default 300)"},
    {DG_OPTION_FLAG, "no-fold", 0, NULL, offsetof(struct given, no_fold),
     "draw repeated blocks and chains of views one by one"},
    {DG_OPTION_CHOICE, "type", 'T', "dot|svg|png|pdf", offsetof(struct given, type),
     "Graphviz text, or an image; default: as the name of FILE ends, else dot"},
    {DG_OPTION_CHOICE, "layout", 0, "auto|graphviz|plain",
     offsetof(struct given, layout),
     "who lays out an image; auto: Graphviz, or plain layers where it costs too much"},
    {DG_OPTION_COUNT, "layout-timeout", 0, "SECONDS", offsetof(struct given, seconds),
     "give up a layout, or an image, after this long (default 60): exit 4"},
    DG_FINDING_OPTIONS(struct given, gate),
    {DG_OPTION_FLAG, "no-plan", 0, NULL, offsetof(struct given, no_plan),
     "draw no partitions, even if the program has tags"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

static const struct dg_ending endings[] = {
    {"dot", "dot"}, {"gv", "dot"}, {"svg", "svg"}, {"png", "png"}, {"pdf", "pdf"}, {0}};

static enum dg_status check_limits(const struct given *given, struct dg_error *err)
{
    if (given->max_boxes < LEAST_BOXES || given->max_boxes > INT_MAX)
        return dg_fail(err, DG_ERR_USAGE, "dot: --max-boxes must be at least %d",
                       LEAST_BOXES);
    if (given->hops > INT_MAX)
        return dg_fail(err, DG_ERR_USAGE, "dot: --hops is too large");
    if (given->depth != NOT_GIVEN && (given->depth < 1 || given->depth > INT_MAX))
        return dg_fail(err, DG_ERR_USAGE, "dot: --depth must be at least 1");
    if (given->seconds < 1 || given->seconds > 86400)
        return dg_fail(err, DG_ERR_USAGE,
                       "dot: --layout-timeout must be 1 to 86400 seconds");
    return DG_OK;
}

/* What was given and only some other thing that was given heeds. */
static enum dg_status check_given(const struct given *given, struct dg_error *err)
{
    const char *view = given->view;
    bool image = strcmp(given->type, "png") == 0 || strcmp(given->type, "pdf") == 0;
    const struct {
        bool wrong;
        const char *why;
    } checks[] = {
        {given->no_plan && given->gate.plan.path,
         "--plan and --no-plan exclude each other"},
        {given->around && given->finding != NOT_GIVEN,
         "--around and --finding exclude each other"},
        {given->around && strcmp(view, "around") != 0,
         "--around is a view of its own; leave --view out"},
        {given->finding != NOT_GIVEN && strcmp(view, "finding") != 0,
         "--finding is a view of its own; leave --view out"},
        {given->old && strcmp(view, "diff") && !given->gate.target.limits.n_items,
         "--against is for --view diff"},
        {!given->around && !strcmp(view, "around"),
         "--view around needs --around NODE"},
        {given->finding == NOT_GIVEN && !strcmp(view, "finding"),
         "--view finding needs --finding N"},
        {given->hops != NOT_GIVEN && !given->around, "--hops needs --around NODE"},
        {given->depth != NOT_GIVEN && strcmp(view, "modules") != 0,
         "--depth is for --view modules"},
        {given->module && strcmp(view, "graph") != 0, "--module is for --view graph"},
        {image && dg_goes_to_terminal(given->output),
         "an image is not for a terminal: give -o FILE"},
    };

    for (size_t i = 0; i < sizeof(checks) / sizeof(*checks); i++)
        if (checks[i].wrong)
            return dg_fail(err, DG_ERR_USAGE, "dot: %s", checks[i].why);
    return check_limits(given, err);
}

/* Views that mark what breaks a rule need the rules to have run; a number of a finding
 * means what it means elsewhere only if all of them have. */
static enum dg_status run_rules(const struct dg_view *view, const struct given *given,
                                struct dg_store *store, struct dg_error *err)
{
    static const char *const families[] = {"partition", "constant", "control-flow",
                                           "cuda"};
    const struct dg_selection plans = {
        .select = families, .n_select = sizeof(families) / sizeof(*families)};
    int64_t n_plans;
    enum dg_status status;

    if (view->wants_findings == DG_FINDINGS_ALL)
        return dg_gate_verify(&given->gate, store, NULL, NULL, err);
    if (view->wants_findings == DG_FINDINGS_NONE || given->no_plan)
        return DG_OK;
    status = dg_store_int(store, "SELECT count(*) FROM part_run", 0, &n_plans, err);
    return status || !n_plans ? status : dg_verify(store, &plans, NULL, NULL, err);
}

static enum dg_svg_layout layout_of(const struct given *given)
{
    if (!strcmp(given->layout, "plain"))
        return DG_SVG_PLAIN;
    return !strcmp(given->layout, "auto") ? DG_SVG_AUTO : DG_SVG_GRAPHVIZ;
}

static enum dg_status write_svg(struct dg_writer *out, struct dg_size *size,
                                const struct given *given,
                                const struct dg_picture *picture, struct dg_error *err)
{
    const struct dg_svg_options how = {
        .layout = layout_of(given),
        .strict = true,
        .limits = {.seconds = (unsigned)given->seconds},
        .size = size,
    };
    struct dg_error why = {0};
    enum dg_status status = dg_picture_svg(out, picture, &how, &why);

    if (status == DG_ERR_DEVICE || status == DG_ERR_STOPPED)
        return dg_fail(err, status, "%.400s; --layout plain draws without Graphviz",
                       why.text);
    return status ? dg_fail(err, status, "%s", why.text) : DG_OK;
}

/* The SVG as PNG or PDF. */
static enum dg_status write_image(struct dg_writer *out, const struct given *given,
                                  const struct dg_picture *picture,
                                  struct dg_error *err)
{
    const struct dg_child_limits limits = {.seconds = (unsigned)given->seconds};
    struct dg_image image = {!strcmp(given->type, "png") ? DG_IMAGE_PNG : DG_IMAGE_PDF};
    struct dg_writer svg = {0};
    enum dg_status status = write_svg(&svg, &image.size, given, picture, err);

    image.svg = dg_written(&svg);
    if (!status)
        status = dg_image_draw(out, &image, &limits, err);
    if (!status && dg_image_scale(&image) < 1 && !dg_verbosity.quiet)
        fprintf(
            stderr,
            "delegraph: note: drawn at %.0f %% of its size, as much as a %s can hold; "
            "-T svg is as large as it is\n",
            100 * dg_image_scale(&image), image.type == DG_IMAGE_PNG ? "PNG" : "PDF");
    dg_writer_clear(&svg);
    return status;
}

static enum dg_status write_picture(struct dg_writer *out, const struct given *given,
                                    const struct dg_picture *picture,
                                    struct dg_error *err)
{
    struct dg_size size;

    if (!strcmp(given->type, "dot"))
        return dg_picture_write(out, picture, err);
    if (!strcmp(given->type, "svg"))
        return write_svg(out, &size, given, picture, err);
    return write_image(out, given, picture, err);
}

/* Of a .pte with its program the .pte, where both have what the view shows; 0: all. */
static enum dg_status choose_artifact(int64_t *artifact, const struct given *given,
                                      const struct dg_input *input,
                                      struct dg_error *err)
{
    static const char *const of_both[] = {"graph", "partitions", "calls", "devices"};
    bool either = false;

    for (size_t i = 0; i < sizeof(of_both) / sizeof(*of_both); i++)
        either |= !strcmp(given->view, of_both[i]);
    if (!either || !input->n_companions || given->module || given->graph)
        return DG_OK;
    return dg_store_int(input->store,
                        "SELECT id FROM artifact WHERE companion_of IS NULL", 0,
                        artifact, err);
}

/* Of a call of a delegate the graph in its blob: `run` names nodes of it by the call.
 */
static enum dg_status choose_graph(const char **graph, const struct given *given,
                                   struct dg_store *store, struct dg_arena *memory,
                                   struct dg_error *err)
{
    const char *found;
    struct dg_rows rows = dg_rows_all(
        store,
        "SELECT DISTINCT inside.path FROM node JOIN graph ON graph.id = node.graph_id"
        " JOIN method ON method.id = graph.method_id"
        " JOIN delegate ON delegate.id = node.delegate_id"
        " JOIN delegate_graph AS inside ON inside.id = inside_id"
        " WHERE node.kind = 'delegate_call' AND node.name = ?1"
        "  AND (?2 IS NULL OR method.name = ?2) LIMIT 2",
        err);
    dg_rows_bind_text(&rows, 1, dg_text(given->graph));
    dg_rows_bind_text(&rows, 2, dg_text(given->method));
    if (dg_rows_next(&rows)) {
        found = dg_rows_keep(memory, &rows, 0).data;
        if (!dg_rows_next(&rows))
            *graph = found;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status draw(struct dg_writer *out, const struct given *given,
                           struct dg_input *input, struct dg_error *err)
{
    struct dg_arena memory = {0};
    struct dg_view_options wanted = {
        .method = given->method,
        .graph = given->graph,
        .path = dg_artifact_words(&memory, input->path, given->gate.artifact).data,
        .around = given->around,
        .hops = given->hops == NOT_GIVEN ? NEAR_HOPS : (int)given->hops,
        .module = given->module,
        .finding = given->finding == NOT_GIVEN ? 0 : given->finding,
        .depth = given->depth == NOT_GIVEN ? 0 : (int)given->depth,
        .max_boxes = (int)given->max_boxes,
        .no_plan = given->no_plan,
        .no_fold = given->no_fold,
    };
    const struct dg_view *view = dg_view_find(given->view);
    struct dg_picture picture = {0};
    enum dg_status status = choose_artifact(&wanted.artifact, given, input, err);

    if (!status && given->graph)
        status = choose_graph(&wanted.graph, given, input->store, &memory, err);
    if (!status)
        status = run_rules(view, given, input->store, err);
    if (!status && given->old && !strcmp(given->view, "diff"))
        status = dg_compare_against(input, given->old, NULL, err);
    if (!status)
        status = view->build(&picture, input->store, &wanted, err);
    if (!status)
        status = write_picture(out, given, &picture, err);
    dg_picture_clear(&picture);
    dg_arena_clear(&memory);
    return status;
}

static const char *implied_view(const struct given *given)
{
    if (given->around)
        return "around";
    if (given->old)
        return "diff";
    return given->finding == NOT_GIVEN ? "graph" : "finding";
}

static enum dg_status read_options(struct given *given, int argc, char **argv,
                                   struct dg_arena *memory, struct dg_error *err)
{
    enum dg_status status = dg_options_parse(given, &dg_command_dot, &argc, argv, err);

    if (!status)
        given->old = dg_against_old_of(&given->gate.target, argv[1],
                                       given->gate.artifact, memory);
    if (!status && !given->view)
        given->view = implied_view(given);
    if (!status && !given->type)
        status = dg_format_by_ending(&given->type, given->output, endings, err);
    if (!status)
        status = check_given(given, err);
    return status ? status : dg_gate_prepare(&given->gate, "dot", memory, err);
}

/* As check does: findings then have the same numbers. */
static enum dg_status draw_file(struct dg_writer *out, struct given *given,
                                const char *path, struct dg_arena *memory,
                                struct dg_error *err)
{
    struct dg_input input = {0};
    enum dg_status status =
        dg_input_open(&input, path,
                      !dg_gate_alone(&given->gate) || given->old ? DG_HASH_QUICK
                      : given->finding == NOT_GIVEN              ? DG_HASH_NONE
                                                                 : DG_HASH_EQUAL,
                      err);

    if (!status)
        status = dg_artifact_choose(&input, given->gate.artifact, err);
    if (!status)
        status = dg_artifact_only(&(int64_t){0}, input.store, "a picture", err);
    if (!status)
        status = dg_gate_fit_input(&given->gate, &input, memory, err);
    if (!status)
        status = dg_gate_join(&given->gate, &input, err);
    if (!status)
        status = draw(out, given, &input, err);
    dg_input_close(&input);
    return status;
}

static int run(int argc, char **argv)
{
    struct given given = {.layout = "auto",
                          .hops = NOT_GIVEN,
                          .finding = NOT_GIVEN,
                          .depth = NOT_GIVEN,
                          .max_boxes = DG_VIEW_BOXES,
                          .gate = {DG_GATE_START, .doubt = DG_PLAN_WARNS,
                                   .growth_may_wait = true, .shows_old = true},
                          .seconds = DG_CHILD_SECONDS};
    struct dg_writer out = {0};
    struct dg_arena memory = {0};
    struct dg_error err = {0};
    enum dg_status status = read_options(&given, argc, argv, &memory, &err);
    bool usable = !status;

    if (usable)
        status = draw_file(&out, &given, argv[1], &memory, &err);
    dg_gate_clear(&given.gate);
    dg_arena_clear(&memory);
    if (!status)
        return dg_deliver(given.output, &out, DG_EXIT_FINE);
    dg_writer_clear(&out);
    return usable ? dg_complain_about(argv[1], &err) : dg_complain(&err);
}

const struct dg_command dg_command_dot = {
    .name = "dot",
    .synopsis = "FILE|DB",
    .summary = "a picture: Graphviz text, SVG, PNG or PDF",
    .help =
        "Views:\n"
        "  graph       operators and values, in frames of modules or partitions\n"
        "  modules     a box for each module, repeated ones folded\n"
        "  partitions  a box for each delegate and each piece that stays on the host\n"
        "  devices     a lane for each device, and the copies between them\n"
        "  calls       what runs, in order: kernels, delegates, moves, jumps\n"
        "  diff        what changed from --against OLD: + added, - removed, ~ "
        "changed\n"
        "\n"
        "Boxes are operators or instructions with the dtypes and shapes of their\n"
        "results; arrows are values. Weights and getitem are lines in labels.\n"
        "What is too much for a picture is folded; the picture says what, and the\n"
        "command that shows it.\n"
        "\n"
        "  delegraph dot model.pt2 --view partitions -o model.svg\n"
        "  delegraph dot model.pt2 --view modules --depth 2 -o model.png\n"
        "  delegraph dot model.pte --around op_12 --hops 3 | dot -Tpdf >part.pdf\n"
        "  delegraph dot model.pt2 --plan bad.plan.json --finding 1 -o 1.svg\n"
        "  delegraph dot model.pt2 --against yesterday.pt2 -o changes.svg\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = 1,
    .files = 1,
};
