/* ls: one line for each node, value, delegate... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/artifact_option.h"
#include "cli/options.h"
#include "cli/target_options.h"
#include "exec/lineage.h"
#include "formats/input.h"
#include "graph/asked.h"
#include "reports/listing.h"
#include "reports/report.h"

struct given {
    const char *what, *method, *format, *output, *artifact;
    struct dg_list programs, etdumps;
    bool tree;
    int64_t depth;
};

enum { DEEPEST = 1000 }; /* level that is told from all */

static const struct dg_option options[] = {
    {DG_OPTION_TEXT, "what", 'w', "KIND", offsetof(struct given, what),
     "what to list; default nodes"},
    {DG_OPTION_TEXT, "method", 'm', "NAME", offsetof(struct given, method),
     "only this method"},
    {DG_OPTION_FLAG, "tree", 0, NULL, offsetof(struct given, tree),
     "the modules inside of each other, with ops, weights, FLOPs and delegates"},
    {DG_OPTION_COUNT, "depth", 0, "N", offsetof(struct given, depth),
     "of --tree: so many levels"},
    DG_PROGRAM_OPTION(struct given, programs, "gives lines and modules"),
    DG_ETDUMP_OPTION(struct given, etdumps),
    DG_ARTIFACT_OPTION(struct given, artifact),
    {DG_OPTION_CHOICE, "format", 0, "text|plain|json|jsonl|csv",
     offsetof(struct given, format), "text for people (default), plain: tab separated"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

static enum dg_status check_tree(const struct given *given, const char *glob,
                                 struct dg_error *err)
{
    bool fits = !strcmp(given->format, "text") || !strcmp(given->format, "json");

    if (given->tree && !fits)
        return dg_fail(err, DG_ERR_USAGE,
                       "ls: --tree goes with --format text or json, not %s",
                       given->format);
    if (given->tree && (given->what || glob))
        return dg_fail(err, DG_ERR_USAGE, "ls: --tree goes without %s",
                       glob ? "a GLOB" : "--what");
    if (given->depth && !given->tree)
        return dg_fail(err, DG_ERR_USAGE, "ls: --depth goes with --tree");
    return DG_OK;
}

static enum dg_status check_method(struct dg_store *store, const char *method,
                                   struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store, "SELECT name FROM method ORDER BY id", err);
    struct dg_arena memory = {0};
    const char **names = NULL, *near;
    size_t n = 0;
    bool found = !method;

    while (!status && !found && dg_rows_next(&rows)) {
        const char *name = dg_copy(&memory, dg_rows_slice(&rows, 0));

        *DG_APPEND(names, n) = name;
        found = !strcmp(name, method);
    }
    near = found || status ? NULL : dg_nearest(method, names, n);
    if (!status && !found)
        dg_fail(err, status = DG_ERR_USAGE, "no method \"%.80s\"%s%s%s", method,
                near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    free(names);
    dg_arena_clear(&memory);
    return dg_rows_close(&rows, status, err);
}

/* Names of what can be listed; their number. */
static size_t add_names(const char ***names, struct dg_rows *rows,
                        struct dg_arena *memory)
{
    size_t n = 0;

    while (dg_rows_next(rows)) {
        for (int i = 0; i < dg_rows_columns(rows); i++) {
            const char *column = dg_rows_column(rows, i);

            if (!dg_rows_null(rows, i) &&
                (!strcmp(column, "name") || !strcmp(column, "target")))
                *DG_APPEND(*names, n) = dg_copy(memory, dg_rows_slice(rows, i));
        }
    }
    return n;
}

/* Nodes are first looked for in the program; delegates have some, too. */
static enum dg_status find_inside(bool *found, struct dg_store *store,
                                  struct dg_report_options wanted, struct dg_error *err)
{
    const struct dg_listing *listing;
    struct dg_rows rows;
    enum dg_status status;

    *found = false;
    if (strcmp(wanted.what, "nodes"))
        return DG_OK;
    wanted.what = "delegate-nodes";
    status = dg_listing_open(&rows, &listing, store, &wanted, err);
    if (status)
        return status;
    *found = dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Nothing matches: of a name that is wrong usage, of a pattern an answer. */
static enum dg_status miss(struct dg_store *store, struct dg_report_options wanted,
                           struct dg_error *err)
{
    bool pattern = strpbrk(wanted.glob, "*?[");
    const char *glob = wanted.glob, **names = NULL, *near;
    const struct dg_listing *listing;
    struct dg_arena memory = {0};
    struct dg_rows rows;
    bool inside;
    size_t n;
    enum dg_status status = find_inside(&inside, store, wanted, err);

    wanted.glob = NULL;
    if (!status)
        status = dg_listing_open(&rows, &listing, store, &wanted, err);
    if (status)
        return status;
    n = add_names(&names, &rows, &memory);
    near = dg_nearest(glob, names, n);
    status = dg_rows_close(&rows, DG_OK, err);
    if (!status)
        dg_fail(err, pattern ? DG_OK : DG_ERR_USAGE,
                "none of the %s matches \"%.80s\"%s%.80s%s", wanted.what, glob,
                inside ? "; --what delegate-nodes has "
                : near ? "; did you mean "
                       : "",
                inside ? "some"
                : near ? near
                       : "",
                near && !inside ? "?" : "");
    if (!status && pattern && !dg_verbosity.quiet)
        dg_complain(err);
    free(names);
    dg_arena_clear(&memory);
    return err->status;
}

static enum dg_status check_glob(struct dg_store *store,
                                 const struct dg_report_options *wanted,
                                 struct dg_error *err)
{
    const struct dg_listing *listing;
    struct dg_rows rows;
    bool found;
    enum dg_status status;

    if (!wanted->glob)
        return DG_OK;
    status = dg_listing_open(&rows, &listing, store, wanted, err);
    if (status)
        return status;
    found = dg_rows_next(&rows);
    status = dg_rows_close(&rows, DG_OK, err);
    return status || found ? status : miss(store, *wanted, err);
}

/* What is listed of a .pte with its program is the .pte. */
static enum dg_status choose_artifact(int64_t *artifact, const struct given *given,
                                      struct dg_store *store, struct dg_error *err)
{
    return given->programs.n_items && !given->tree
               ? dg_store_int(store,
                              "SELECT id FROM artifact WHERE companion_of IS NULL", 0,
                              artifact, err)
               : DG_OK;
}

static enum dg_status list(struct dg_writer *out, const struct given *given,
                           struct dg_store *store, const char *glob,
                           struct dg_error *err)
{
    struct dg_report_options wanted = {
        .what = given->what ? given->what : "nodes",
        .method = given->method,
        .glob = glob,
        .color = dg_wants_color(given->output),
        .ascii = dg_wants_ascii(given->output),
        .width = dg_terminal_width(given->output),
        .depth = given->depth > DEEPEST ? DEEPEST : (int)given->depth};
    char name[16];
    enum dg_status status = check_method(store, given->method, err);

    if (!status)
        status = choose_artifact(&wanted.artifact, given, store, err);
    if (!status)
        status = check_glob(store, &wanted, err);
    if (status)
        return status;
    snprintf(name, sizeof(name), "%s-%s", given->tree ? "tree" : "list", given->format);
    return dg_report_find(name)->write(out, store, &wanted, err);
}

static enum dg_status is_lineage_wanted(bool *wanted, const struct given *given,
                                        struct dg_store *store, struct dg_error *err)
{
    if (given->tree)
        return dg_asked_measured(wanted, store, err);
    *wanted = given->programs.n_items && (!given->what || strstr(given->what, "nodes"));
    return DG_OK;
}

/* Times go to modules by it, and lines to nodes: where two files do not fit, there are
 * none. */
static enum dg_status find_lineage(const struct given *given,
                                   const struct dg_input *input, struct dg_error *err)
{
    struct dg_error why = {0}, note = {0};
    bool wanted;
    enum dg_status status = is_lineage_wanted(&wanted, given, input->store, err);

    if (status || !wanted)
        return status;
    status = dg_lineage_store(input, &why);
    if (status && status != DG_ERR_FORMAT) {
        *err = why;
        return status;
    }
    if (status && !dg_verbosity.quiet) {
        dg_fail(&note, DG_OK, "note: no %s: %.300s",
                given->tree ? "times by module" : "lines", why.text);
        dg_complain_about(input->path, &note);
    }
    return DG_OK;
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "text"};
    struct dg_input input = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    enum dg_status status;

    if (dg_options_parse(&given, &dg_command_ls, &argc, argv, &err) ||
        check_tree(&given, argc > 2 ? argv[2] : NULL, &err))
        return dg_complain(&err);
    status = dg_input_open(&input, argv[1], DG_HASH_NONE, &err);
    if (!status)
        status = dg_artifact_choose(&input, given.artifact, &err);
    if (!status)
        status =
            dg_join_companions(&input, given.programs.items, given.programs.n_items,
                               "program", DG_HASH_NONE, &err);
    if (!status)
        status = dg_join_companions(&input, given.etdumps.items, given.etdumps.n_items,
                                    "profile", DG_HASH_NONE, &err);
    if (!status && given.programs.n_items + given.etdumps.n_items)
        status = dg_note_misfits(input.store, &err);
    if (!status)
        status = find_lineage(&given, &input, &err);
    if (!status)
        status = list(&out, &given, input.store, argc > 2 ? argv[2] : NULL, &err);
    dg_input_close(&input);
    if (status) {
        dg_writer_clear(&out);
        return dg_complain_about(argv[1], &err);
    }
    if (!out.size && argc < 3 && !strcmp(given.format, "text") && !dg_verbosity.quiet) {
        dg_fail(&err, DG_OK, "%s%.100s has no %s", given.method ? "method " : "it",
                given.method ? given.method : "", given.what ? given.what : "nodes");
        dg_complain_about(argv[1], &err);
    }
    return dg_deliver(given.output, &out, DG_EXIT_FINE);
}

const struct dg_command dg_command_ls = {
    .name = "ls",
    .synopsis = "FILE [GLOB]",
    .summary = "one line for each node, value, delegate, segment, constant...",
    .help =
        "KIND: nodes, values, delegates, delegate-nodes, delegate-values (of what their"
        "\nblobs compute), libraries, library-symbols, library-constants, gpu-kernels "
        "(of"
        "\nAOTInductor's code), segments, constants, ops, named-data, methods, graphs,"
        "\narenas, signature. GLOB keeps rows whose name or target matches."
        "\n\n"
        "Examples:\n"
        "  delegraph ls model.pte --what values\n"
        "  delegraph ls model.pt2 'aten::add*' --format csv\n"
        "  delegraph ls model.pt2 --tree --depth 2\n",
    .run = run,
    .options = options,
    .least = 1,
    .most = 2,
    .files = 1,
};
