/* What users should know of their lists of operators before they believe the answer. */
#include <stdlib.h>
#include <string.h>

#include "base/text_set.h"
#include "cli/answer.h"
#include "cli/partitioner_options.h"

/* The operators that a program calls, and by their names without overload one each. */
struct called {
    struct dg_text_set names, stems;
    const char **example; /* of each stem */
    size_t n_examples;
    struct dg_arena memory;
};

/* "aten::add" of "aten::add.Tensor" */
static struct dg_text stem_of(struct dg_text name)
{
    size_t size = name.size;

    while (size && name.data[size - 1] != '.')
        size--;
    return (struct dg_text){name.data, size ? size - 1 : name.size};
}

static enum dg_status read_called(struct called *called, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, "SELECT name FROM op ORDER BY id", err);

    while (dg_rows_next(&rows)) {
        struct dg_text name =
            dg_text(dg_copy(&called->memory, dg_rows_slice(&rows, 0)));

        dg_text_set_add(&called->names, name);
        if (dg_text_set_add(&called->stems, stem_of(name)) == called->n_examples)
            *DG_APPEND(called->example, called->n_examples) = name.data;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void note(struct called *called, const char *path, struct dg_text given)
{
    struct dg_text name = dg_op_spelling(&called->memory, given);
    uint32_t stem = dg_text_set_find(&called->stems, stem_of(name));

    struct dg_error line = {0};

    if (dg_text_set_find(&called->names, name) != DG_NO_TEXT || stem == DG_NO_TEXT)
        return;
    dg_fail(&line, DG_OK, "note: no node calls %.*s; there is %.100s",
            (int)(name.size < 100 ? name.size : 100), name.data, called->example[stem]);
    dg_complain_about(path, &line);
}

static void note_list(struct called *called, const char *path,
                      const struct dg_list *list)
{
    for (size_t i = 0; i < list->n_items; i++) {
        char *rest = NULL, *text = dg_copy(&called->memory, dg_text(list->items[i]));

        for (char *op = strtok_r(text, ", ", &rest); op;
             op = strtok_r(NULL, ", ", &rest))
            note(called, path, dg_text(op));
    }
}

/* Delegates that a program has already are calls like others to a partitioner. */
enum dg_status dg_run_note_delegates(const struct dg_partitioner_options *given,
                                     int64_t artifact, const struct dg_input *input,
                                     struct dg_error *err)
{
    struct dg_error line = {0};
    struct dg_rows rows = dg_rows_of(
        input->store,
        "SELECT count(*), coalesce(group_concat(DISTINCT backend), ''), min(backend)"
        " FROM delegate JOIN method ON method.id = method_id WHERE artifact_id = ?1"
        "  AND ir <> 'pte'",
        artifact, err);

    if (dg_rows_next(&rows) && dg_rows_int(&rows, 0) && !dg_verbosity.quiet) {
        long long n = dg_rows_int(&rows, 0);
        const char *backend = dg_rows_text(&rows, 2),
                   *list = backend ? dg_support_of_delegate(backend) : NULL;

        dg_fail(&line, DG_OK,
                "note: lowered already, with %lld delegate%s (%.200s); what follows is "
                "about the operators that %s left%s%s",
                n, n == 1 ? "" : "s", dg_rows_text(&rows, 1), n == 1 ? "it" : "they",
                dg_run_option_has_support(given) ? ""
                                                 : "; for reasons ask with --backend ",
                dg_run_option_has_support(given) ? ""
                : list                           ? list
                                                 : "NAME");
        dg_complain_about(input->path, &line);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* Of a program that lowering changes first; `python -m delegraph.torch lower` knows
 * this backend's partitioner. */
static void note_caveat(const char *path, const char *backend)
{
    bool lowers = backend && !strcmp(backend, "xnnpack");
    struct dg_error line = {0};

    dg_fail(&line, DG_OK,
            "note: " DG_ATEN_CAVEAT "; for those that lowering makes, %s%.200s%s",
            lowers ? "run python -m delegraph.torch lower "
                   : "give a file of exir.save(",
            lowers ? path : "to_edge(...).exported_program(), FILE)",
            lowers ? " --backend xnnpack -o DIR" : "");
    dg_complain_about(path, &line);
}

enum dg_status dg_run_notes(const struct dg_partitioner_options *given,
                            const struct dg_run_request *request,
                            const struct dg_input *input, struct dg_error *err)
{
    struct called called = {0};
    enum dg_status status;

    if (dg_verbosity.quiet)
        return DG_OK;
    status = read_called(&called, input->store, err);
    if (!request->exact)
        note_caveat(input->path, given->backend.items[0]);
    if (!status) {
        note_list(&called, input->path, &given->supported);
        note_list(&called, input->path, &given->unsupported);
        note_list(&called, input->path, &given->non_compute);
        note_list(&called, input->path, &given->allowed_single);
    }
    dg_text_set_clear(&called.names);
    dg_text_set_clear(&called.stems);
    free(called.example);
    dg_arena_clear(&called.memory);
    return status;
}
