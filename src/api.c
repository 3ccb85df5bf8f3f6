/* The installed interface: load one program, run every rule, show what was found. */
#include "config.h"

#pragma GCC visibility push(default)
#include "delegraph.h"
#pragma GCC visibility pop

#include <stdio.h>

#include "formats/input.h"
#include "store/store.h"
#include "verifiers/verifier.h"

enum { EXIT_INPUT = 3, EXIT_INTERNAL = 5 };

static enum dg_status show(struct dg_store *store, delegraph_visit_fn *visit,
                           void *context, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        store,
        "SELECT f.rule, f.severity, m.name, g.path, n.name, coalesce(v.name, v.idx),"
        "  f.message FROM finding AS f LEFT JOIN method AS m ON m.id = f.method_id"
        "  LEFT JOIN \"graph\" AS g ON g.id = f.graph_id"
        "  LEFT JOIN node AS n ON n.id = f.node_id"
        "  LEFT JOIN value AS v ON v.id = f.value_id ORDER BY f.id",
        err);
    int ended = 0;

    while (!ended && dg_rows_next(&rows)) {
        struct delegraph_finding finding = {
            .rule = dg_rows_text(&rows, 0),
            .severity = dg_rows_text(&rows, 1),
            .method = dg_rows_text(&rows, 2),
            .graph = dg_rows_text(&rows, 3),
            .node = dg_rows_text(&rows, 4),
            .value = dg_rows_text(&rows, 5),
            .message = dg_rows_text(&rows, 6),
        };

        ended = visit(context, &finding);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

struct job {
    const char *path;
    delegraph_visit_fn *visit;
    void *context;
};

static enum dg_status check(void *object, struct dg_error *err)
{
    const struct job *job = object;
    struct dg_input input = {0};
    enum dg_status status = dg_input_open(&input, job->path, DG_HASH_EQUAL, err);

    if (!status)
        status = dg_verify(input.store, NULL, NULL, NULL, err);
    if (!status && job->visit)
        status = show(input.store, job->visit, job->context, err);
    dg_input_close(&input);
    return status;
}

int delegraph_check(const char *path, delegraph_visit_fn *visit, void *context,
                    char *error, unsigned long error_size)
{
    struct job job = {path, visit, context};
    struct dg_error err = {0};
    enum dg_status status = dg_outlive_memory(check, &job, &err);

    if (error && error_size)
        snprintf(error, error_size, "%s", status ? err.text : "");
    if (!status)
        return 0;
    return status == DG_ERR_FORMAT ? EXIT_INPUT : EXIT_INTERNAL;
}

const char *delegraph_version(void)
{
    return PACKAGE_VERSION;
}
