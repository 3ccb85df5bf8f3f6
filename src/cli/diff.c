/* diff: what changed from one program to another. */
#include "diff/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/both.h"
#include "cli/artifact_option.h"
#include "cli/compare.h"
#include "cli/diff_print.h"
#include "cli/max_lines.h"
#include "cli/options.h"
#include "cli/store_output.h"
#include "formats/input.h"
#include "verifiers/verifier.h"

struct given {
    const char *format, *output, *store;
    struct dg_list ignore, artifacts;
    int64_t max_lines;
};

static const struct dg_option options[] = {
    {DG_OPTION_CHOICE, "format", 0, "text|json|md", offsetof(struct given, format),
     "text for people (default), json for programs, md for a comment"},
    {DG_OPTION_LIST, "ignore", 0, "KINDS", offsetof(struct given, ignore),
     "leave out names, source, weights, metadata, size, findings"},
    {DG_OPTION_LIST, "artifact", 0, "PATH|N", offsetof(struct given, artifacts),
     "which program of stores with several; twice: of OLD, then of NEW"},
    DG_MAX_LINES_OPTION(struct given, max_lines),
    {DG_OPTION_STORE, "store", 0, "DB", offsetof(struct given, store),
     "write the new program and the differences as a store: view v_diff"},
    {DG_OPTION_OUTPUT, "output", 'o', "FILE", offsetof(struct given, output),
     "write there instead of to standard output"},
    {0},
};

static enum dg_status ignore_one(unsigned *ignored, struct dg_text word,
                                 struct dg_error *err)
{
    const char *names[8], *near;
    struct dg_arena memory = {0};
    size_t n = 0;

    for (; dg_diff_class_name(1u << n); n++) {
        names[n] = dg_diff_class_name(1u << n);
        if (dg_text_is(word, names[n])) {
            *ignored |= 1u << n;
            return DG_OK;
        }
    }
    near = dg_nearest(dg_copy(&memory, word), names, n);
    dg_fail(err, DG_ERR_USAGE, "diff: --ignore knows no \"%.*s\"%s%s%s",
            word.size < 80 ? (int)word.size : 80, word.data,
            near ? "; did you mean "
                 : "; it knows names, source, weights, metadata, size, findings",
            near ? near : "", near ? "?" : "");
    dg_arena_clear(&memory);
    return err->status;
}

static enum dg_status read_ignored(unsigned *ignored, const struct dg_list *list,
                                   struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < list->n_items; i++) {
        const char *at = list->items[i];

        while (!status && *at) {
            size_t size = strcspn(at, ", ");

            if (size)
                status = ignore_one(ignored, (struct dg_text){at, size}, err);
            at += size + (at[size] != '\0');
        }
    }
    return status;
}

/* One of the two files, which nobody else looks at until its thread has ended. */
struct side {
    const char *path, *artifact;
    struct dg_input input;
    bool verifies;
    struct dg_error err;
    enum dg_status status;
};

static void *open_side(void *context)
{
    struct side *side = context;

    side->status = dg_input_open(&side->input, side->path, DG_HASH_QUICK, &side->err);
    if (!side->status)
        side->status = dg_artifact_choose(&side->input, side->artifact, &side->err);
    if (!side->status && side->verifies)
        side->status = dg_verify(side->input.store, NULL, NULL, NULL, &side->err);
    return NULL;
}

static void *close_side(void *context)
{
    dg_input_close(&((struct side *)context)->input);
    return NULL;
}

static void write_answer(struct dg_writer *out, const struct dg_diff_answer *answer,
                         const struct given *given)
{
    if (!strcmp(given->format, "json"))
        dg_write_diff_json(out, answer);
    else if (!strcmp(given->format, "md"))
        dg_write_diff_markdown(out, answer, (size_t)given->max_lines);
    else
        dg_write_diff_text(out, answer);
}

/* The new program loaded once more: rows have the same ids there. */
static enum dg_status fill_store(const struct dg_diff *diff, struct side sides[2],
                                 const char *aside, struct dg_error *err)
{
    struct dg_store *store = NULL;
    enum dg_status status = dg_store_create_file(&store, aside, err);

    if (!status)
        status = dg_input_load(&sides[1].input, store, DG_HASH_ALL, err);
    if (!status)
        status = dg_diff_keep(diff, store, sides[0].path, err);
    if (!status)
        status = dg_store_commit(store, err);
    dg_store_close(store);
    return status;
}

static enum dg_status write_store(const struct dg_diff *diff, struct side sides[2],
                                  const char *path, struct dg_error *err)
{
    struct dg_output output = {0};
    enum dg_status status;

    if (dg_store_recognises(sides[1].input.file))
        return dg_fail(err, DG_ERR_USAGE,
                       "diff --store: %.200s is a store, expected a program: it is "
                       "loaded anew",
                       sides[1].path);
    status = dg_store_output_begin(&output, path, err);
    if (status)
        return status;
    status = fill_store(diff, sides, output.aside, err);
    return dg_output_finish(&output, status, err);
}

/* What went wrong with a file, that with the old one first. */
static int refuse(const struct side sides[2], const struct dg_error *err)
{
    for (int s = 0; s < 2; s++) {
        if (sides[s].status)
            return dg_complain_about(sides[s].path, &sides[s].err);
    }
    return dg_complain_about("diff", err);
}

static int diff(struct side sides[2], const struct given *given, unsigned ignored)
{
    static const int exits[] = {[DG_DIFF_SAME] = DG_EXIT_FINE,
                                [DG_DIFF_DIFFERENT] = DG_EXIT_POLICY,
                                [DG_DIFF_UNKNOWN] = DG_EXIT_CAPABILITY};
    struct dg_diff diff = {.ignored = ignored};
    struct dg_writer out = {0};
    struct dg_error err = {0};
    struct dg_diff_answer answer = {&diff, {sides[0].path, sides[1].path}};
    enum dg_status status;
    int exit_code;

    dg_do_both(open_side, &sides[0], &sides[1]);
    status = sides[0].status ? sides[0].status : sides[1].status;
    if (!status)
        status = dg_compare(&diff, &sides[0].input, &sides[1].input, &err);
    if (!status && given->store)
        status = write_store(&diff, sides, given->store, &err);
    if (!status)
        write_answer(&out, &answer, given);
    exit_code = exits[dg_diff_result(&diff)];
    dg_diff_clear(&diff);
    if (status) {
        dg_writer_clear(&out);
        return refuse(sides, &err);
    }
    return dg_deliver(given->output, &out, exit_code);
}

static enum dg_status check_artifacts(const struct dg_list *given, struct dg_error *err)
{
    return given->n_items > 2
               ? dg_fail(err, DG_ERR_USAGE,
                         "diff: --artifact %zu times; expected one for both, or one for"
                         " OLD and one for NEW",
                         given->n_items)
               : DG_OK;
}

/* NULL: the store has one. */
static const char *artifact_of(const struct dg_list *given, int side)
{
    return !given->n_items       ? NULL
           : given->n_items == 1 ? given->items[0]
                                 : given->items[side];
}

static int run(int argc, char **argv)
{
    struct given given = {.format = "text"};
    struct side sides[2] = {0};
    struct dg_error err = {0};
    unsigned ignored = 0;
    int exit_code;

    if (dg_options_parse(&given, &dg_command_diff, &argc, argv, &err) ||
        dg_max_lines_check(given.max_lines, !strcmp(given.format, "md"), &err) ||
        read_ignored(&ignored, &given.ignore, &err) ||
        check_artifacts(&given.artifacts, &err))
        return dg_complain(&err);
    for (int s = 0; s < 2; s++) {
        sides[s].path = argv[s + 1];
        sides[s].artifact = artifact_of(&given.artifacts, s);
        sides[s].verifies = !(ignored & DG_DIFF_FINDINGS);
    }
    exit_code = diff(sides, &given, ignored);
    dg_do_both(close_side, &sides[0], &sides[1]);
    return exit_code;
}

const struct dg_command dg_command_diff = {
    .name = "diff",
    .synopsis = "OLD NEW",
    .summary = "what changed: operators, shapes, weights, sizes, findings",
    .help =
        "Of two .pt2, two .pte, two .ptd, or stores of one. Nodes are the same where\n"
        "their names less numbers, their modules or their neighbours are: renumbering\n"
        "is no difference. Exit 0: none; 1: some; 3: a file cannot be read; 4: none "
        "is\n"
        "found, but not all could be compared.\n"
        "\n"
        "--ignore takes several, with commas between them: names (of nodes, modules,\n"
        "classes, inputs), source (stack traces), weights (values, not shapes),\n"
        "metadata, size (of weights, blobs and planned memory), findings.\n"
        "\n"
        "Examples:\n"
        "  delegraph diff yesterday.pte today.pte\n"
        "  delegraph diff old.pt2 new.pt2 --ignore names,source,weights\n"
        "  delegraph diff old.pte new.pte --store changes.db\n"
        "  delegraph query changes.db 'SELECT * FROM v_diff'\n",
    .run = run,
    .options = options,
    .least = 2,
    .most = 2,
    .files = 2,
};
