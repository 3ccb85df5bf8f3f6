/* Calls that no explained graph shows, and where they go. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/sorted.h"
#include "base/text_set.h"
#include "partition/explain.h"

/* Branches by method and name of the attribute: "1/true_graph_0". */
struct branches {
    struct dg_text_set names;
    struct place {
        uint32_t graph, node;
    } * places; /* of each name */
    size_t n_places;
    struct dg_arena memory;
};

/* The node of row `id`; *graph moves on with ascending ids. */
static uint32_t node_of(const struct dg_explanation *explanation, size_t *graph,
                        int64_t id)
{
    const struct dg_explained *at;

    for (; *graph < explanation->n_graphs; ++*graph) {
        at = &explanation->graphs[*graph];
        if (at->n_ids && id < at->first_id + at->n_ids)
            return dg_explained_index(at, id);
    }
    return DG_NO_NODE;
}

static enum dg_status read_branches(struct branches *branches,
                                    const struct dg_explanation *explanation,
                                    int64_t artifact, struct dg_store *store,
                                    struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "SELECT node.id, method_id, node.target FROM node"
        " JOIN graph ON graph.id = graph_id JOIN method ON method.id = method_id"
        " WHERE artifact_id = ?1 AND path = '' AND node.kind = 'get_attr'"
        "   AND node.target IS NOT NULL ORDER BY node.id",
        err);
    size_t graph = 0;

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, artifact);
    while (dg_rows_next(&rows)) {
        uint32_t node = node_of(explanation, &graph, dg_rows_int(&rows, 0));
        struct dg_text name = dg_format(&branches->memory, "%" PRId64 "/%s",
                                        dg_rows_int(&rows, 1), dg_rows_text(&rows, 2));

        if (node != DG_NO_NODE &&
            dg_text_set_add(&branches->names, name) == branches->n_places)
            *DG_APPEND(branches->places, branches->n_places) =
                (struct place){(uint32_t)graph, node};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

/* Where the calls of the graph go whose nodes the rows are at. */
static struct place place_of(struct branches *branches, const struct dg_rows *rows)
{
    struct place place = {0, DG_NO_NODE};
    const char *path = dg_rows_text(rows, 2);
    struct dg_text name;
    uint32_t found;

    if (!dg_text_is(dg_rows_slice(rows, 3), "branch"))
        return place;
    name = dg_format(&branches->memory, "%" PRId64 "/%.*s", dg_rows_int(rows, 1),
                     (int)strcspn(path, "."), path);
    found = dg_text_set_find(&branches->names, name);
    return found == DG_NO_TEXT ? place : branches->places[found];
}

static const char nodes_sql[] =
    "SELECT node.id, method_id, path, graph.kind, graph_id FROM node"
    " JOIN graph ON graph.id = graph_id JOIN method ON method.id = method_id"
    " WHERE artifact_id = ?1 AND (?2 IS NULL OR method.name = ?2) AND node.kind ="
    " 'call_function' ORDER BY node.id";

static enum dg_status read_rest(struct dg_explanation *explanation,
                                struct branches *branches, int64_t artifact,
                                struct dg_store *store, struct dg_error *err)
{
    struct place place = {0, DG_NO_NODE};
    const struct dg_run_request *run = explanation->run.request;
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, nodes_sql, err);
    int64_t graph = 0;
    size_t at = 0;

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, artifact);
    dg_rows_bind_text(&rows, 2, dg_text(run ? run->method : NULL));
    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        if (id < 1 || (size_t)id > explanation->costs->n_nodes ||
            !explanation->costs->nodes[id - 1].counts ||
            node_of(explanation, &at, id) != DG_NO_NODE)
            continue;
        if (graph != dg_rows_int(&rows, 4))
            place = place_of(branches, &rows);
        graph = dg_rows_int(&rows, 4);
        *DG_APPEND(explanation->rest, explanation->n_rest) =
            (struct dg_rest){explanation->costs->nodes[id - 1], place.graph, place.node};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static int compare(const void *left, const void *right)
{
    const struct dg_rest *a = left, *b = right;

    return (a->graph > b->graph) - (a->graph < b->graph);
}

enum dg_status dg_explain_rest(struct dg_explanation *explanation, int64_t artifact,
                               struct dg_store *store, struct dg_error *err)
{
    struct branches branches = {0};
    enum dg_status status = read_branches(&branches, explanation, artifact, store, err);

    if (!status)
        status = read_rest(explanation, &branches, artifact, store, err);
    dg_sort(explanation->rest, explanation->n_rest, sizeof(*explanation->rest),
            compare);
    dg_text_set_clear(&branches.names);
    free(branches.places);
    dg_arena_clear(&branches.memory);
    return status;
}
