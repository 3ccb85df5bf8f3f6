/* A run of a partitioner over the methods of a program. */
#include "partition/run.h"

#include <stdlib.h>

#include "partition/run_parts.h"

bool dg_run_takes_all(const struct dg_run_request *request)
{
    return !request->support &&
           (request->mode == DG_RUN_TORCH || request->mode == DG_RUN_SINGLE);
}

const char *dg_run_mode_name(enum dg_run_mode mode)
{
    static const char *const names[] = {"torch", "aoti",  "single", "group",
                                        "min",   "multi", "repair"};

    return names[mode];
}

static enum dg_status add_graph(struct dg_run *run, struct dg_store *store, int64_t id,
                                struct dg_error *err)
{
    struct dg_run_graph *graph = DG_APPEND(run->graphs, run->n_graphs);

    return dg_run_graph(graph, run->request, store, id, err);
}

static enum dg_status find_pte(bool *is_pte, int64_t artifact, struct dg_store *store,
                               struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        store, "SELECT 1 FROM artifact WHERE id = ?1 AND kind = 'pte'", artifact, err);

    *is_pte = dg_rows_next(&rows);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status no_method(const struct dg_run *run, struct dg_store *store,
                                struct dg_error *err)
{
    bool is_pte = false;
    enum dg_status status;

    if (run->request->method)
        return dg_fail(err, DG_ERR_USAGE,
                       "no method \"%.80s\"; delegraph info lists them",
                       run->request->method);
    status = find_pte(&is_pte, run->request->artifact, store, err);
    if (status || !is_pte)
        return status ? status
                      : dg_fail(err, DG_ERR_FORMAT,
                                "no method to partition; expected a program of "
                                "torch.export (.pt2)");
    return dg_fail(
        err, DG_ERR_USAGE,
        "a .pte is partitioned already, and does not keep why: delegraph query "
        "FILE @graph-breaks lists the calls between its delegates; for reasons "
        "give the .pt2 that it was made from");
}

static enum dg_status check_groups(const struct dg_run *run, struct dg_error *err)
{
    const struct dg_group_list *list = run->request->groups;
    struct dg_text_set methods = {0};
    enum dg_status status = DG_OK;

    if (!list || run->request->method)
        return DG_OK;
    for (size_t i = 0; i < run->n_graphs; i++)
        dg_text_set_add(&methods, run->graphs[i].nodes.method);
    for (size_t i = 0; i < list->n_members && !status; i++) {
        struct dg_text method = list->members[i].method;

        if (method.data && dg_text_set_find(&methods, method) == DG_NO_TEXT)
            status = dg_fail(err, DG_ERR_FORMAT,
                             "%s: no method \"%.80s\"; delegraph info lists them",
                             list->path, method.data);
    }
    dg_text_set_clear(&methods);
    return status;
}

/* A branch is partitioned for itself where a plan says so. */
static enum dg_status has_own_tags(bool *has, int64_t graph, struct dg_store *store,
                                   struct dg_error *err)
{
    const struct dg_partitioned_graphs *list;
    enum dg_status status = dg_partitioned_read(&list, store, err);

    for (size_t i = 0; !status && i < list->n_items; i++) {
        if (list->items[i].nodes.graph.id == graph)
            *has = dg_run_mends(&list->items[i]);
    }
    return status;
}

enum dg_status dg_run(struct dg_run *run, const struct dg_run_request *request,
                      struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "SELECT \"graph\".id, path = '' FROM \"graph\""
        " JOIN method ON method.id = method_id"
        " WHERE artifact_id = ?1 AND (path = '' OR ?3) AND ir <> 'pte'"
        "   AND (?2 IS NULL OR name = ?2) ORDER BY method.id, \"graph\".id",
        err);

    *run = (struct dg_run){.request = request};
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, request->artifact);
    dg_rows_bind_text(&rows, 2, dg_text(request->method));
    dg_rows_bind_int(&rows, 3, request->mode == DG_RUN_REPAIR);
    while (!status && dg_rows_next(&rows)) {
        bool wanted = dg_rows_int(&rows, 1);

        if (!wanted)
            status = has_own_tags(&wanted, dg_rows_int(&rows, 0), store, err);
        if (!status && wanted)
            status = add_graph(run, store, dg_rows_int(&rows, 0), err);
    }
    status = dg_rows_close(&rows, status, err);
    if (!status)
        status = run->n_graphs ? check_groups(run, err) : no_method(run, store, err);
    return status;
}

static void clear_plan(struct dg_run_plan *plan)
{
    dg_partitions_clear(&plan->partitions);
}

void dg_run_clear(struct dg_run *run)
{
    for (size_t i = 0; i < run->n_graphs; i++) {
        struct dg_run_graph *graph = &run->graphs[i];

        clear_plan(&graph->reference);
        clear_plan(&graph->valid);
        free(graph->rejects);
        free(graph->duplicates);
        free(graph->branches);
        dg_text_set_clear(&graph->method_tags);
        dg_nodes_clear(&graph->nodes);
        dg_arena_clear(&graph->memory);
    }
    free(run->graphs);
    *run = (struct dg_run){0};
}

const struct dg_run_plan *dg_run_chosen(const struct dg_run *run,
                                        const struct dg_run_graph *graph)
{
    return graph->acyclic || run->request->as_torch ? &graph->reference : &graph->valid;
}
