/* Calls that no explained graph shows, and where they go. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/sorted.h"
#include "base/text_set.h"
#include "graph/about.h"
#include "graph/model.h"
#include "partition/explain.h"

/* Branches by method and name of the attribute: "1/true_graph_0". */
struct branches {
    struct dg_text_set names;
    struct place {
        uint32_t graph, node;
    } * places; /* of each name */
    size_t n_places;
    struct home {
        bool asked; /* for its method */
        struct place place;
    } * homes; /* of row i + 1 of table graph: where its calls go */
    uint32_t n_homes;
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
    struct dg_rows rows = dg_rows_of(
        store,
        "SELECT node.id, method_id, node.target FROM node"
        " JOIN graph ON graph.id = graph_id JOIN method ON method.id = method_id"
        " WHERE artifact_id = ?1 AND path = '' AND node.kind = 'get_attr' AND " DG_RARE(
            "node") " AND node.target IS NOT NULL ORDER BY node.id",
        artifact, err);
    size_t graph = 0;

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

/* Of the graph that the row is about. */
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

static enum dg_status find_homes(struct branches *branches,
                                 const struct dg_run_request *run, int64_t artifact,
                                 struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(store,
                   "SELECT graph.id, method_id, path, kind FROM graph"
                   " JOIN method ON method.id = method_id WHERE artifact_id = ?1"
                   "  AND (?2 IS NULL OR method.name = ?2)",
                   artifact, err);

    dg_rows_bind_text(&rows, 2, dg_text(run ? run->method : NULL));
    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        if (id <= branches->n_homes)
            branches->homes[id - 1] = (struct home){true, place_of(branches, &rows)};
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void find_rest(struct dg_explanation *explanation, const struct dg_model *model,
                      const struct home *homes)
{
    size_t at = 0;

    for (uint32_t i = 0; i < model->n_nodes; i++) {
        const struct dg_model_node *node = &model->nodes[i];
        const struct dg_cost *cost = &explanation->costs->nodes[i];
        const struct home *home;

        if (node->kind != DG_NODE_CALL_FUNCTION || !dg_cost_counts(cost))
            continue;
        home = &homes[node->graph - 1];
        if (home->asked && node_of(explanation, &at, (int64_t)i + 1) == DG_NO_NODE)
            *DG_APPEND(explanation->rest, explanation->n_rest) =
                (struct dg_rest){*cost, home->place.graph, home->place.node};
    }
}

static enum dg_status read_rest(struct dg_explanation *explanation,
                                struct branches *branches, int64_t artifact,
                                struct dg_store *store, struct dg_error *err)
{
    const struct dg_model *model;
    enum dg_status status = dg_model_read(&model, store, err);

    if (status)
        return status;
    branches->n_homes = model->n_graphs;
    branches->homes =
        dg_alloc(&branches->memory, model->n_graphs, sizeof(*branches->homes));
    status = find_homes(branches, explanation->run.request, artifact, store, err);
    if (!status)
        find_rest(explanation, model, branches->homes);
    return status;
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
