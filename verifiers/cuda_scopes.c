/* Walks over what the CUDA and Metal backends compile. */
#include "verifiers/cuda_scopes.h"

#include <stdlib.h>

#include "verifiers/cuda_parts.h"

struct walk {
    const struct dg_findings *found;
    dg_cuda_scope_fn *look;
    const struct dg_alias *alias;
    struct dg_view_judge *judge;
    uint32_t *members;
    bool only_written;
};

static bool compiles(struct dg_text backend)
{
    return dg_text_is(backend, "CudaBackend") || dg_text_is(backend, "MetalBackend");
}

static enum dg_status look_at(struct walk *walk, struct dg_cuda_scope scope,
                              uint32_t n_members, struct dg_error *err)
{
    struct dg_view_copies copies = {0};
    enum dg_status status = DG_OK;

    dg_view_copies_judge(&copies, walk->judge, !walk->only_written, walk->members,
                         n_members);
    scope.alias = walk->alias;
    scope.copies = copies.items;
    scope.n_copies = copies.n_items;
    if (copies.n_items)
        status = walk->look(walk->found, &scope, err);
    free(copies.items);
    return status;
}

static enum dg_status look_at_whole(struct walk *walk, bool planned,
                                    struct dg_error *err)
{
    uint32_t n = walk->alias->graph.n_nodes;

    for (uint32_t i = 0; i < n; i++)
        walk->members[i] = i;
    return look_at(walk, (struct dg_cuda_scope){.planned = planned}, n, err);
}

/* Members by tag, in order: a counting sort. */
static enum dg_status look_at_tags(struct walk *walk,
                                   const struct dg_partitioned_graph *tagged,
                                   struct dg_error *err)
{
    uint32_t n = walk->alias->graph.n_nodes, *begin, *sorted;
    struct dg_arena memory = {0};
    enum dg_status status = DG_OK;

    begin = dg_alloc(&memory, (size_t)tagged->n_tags + 2, sizeof(*begin));
    sorted = dg_alloc(&memory, n, sizeof(*sorted));
    for (uint32_t i = 0; i < n; i++) {
        if (tagged->tag_of[i] != DG_UNTAGGED)
            begin[tagged->tag_of[i] + 2]++;
    }
    for (uint32_t tag = 0; tag < tagged->n_tags; tag++)
        begin[tag + 2] += begin[tag + 1];
    for (uint32_t i = 0; i < n; i++) {
        if (tagged->tag_of[i] != DG_UNTAGGED)
            sorted[begin[tagged->tag_of[i] + 1]++] = i;
    }
    for (uint32_t tag = 0; tag < tagged->n_tags && !status; tag++) {
        if (!compiles(tagged->tags[tag].backend))
            continue;
        walk->members = sorted + begin[tag];
        status = look_at(
            walk,
            (struct dg_cuda_scope){.tag = tagged->tags[tag].name, .planned = true},
            begin[tag + 1] - begin[tag], err);
    }
    dg_arena_clear(&memory);
    return status;
}

static const struct dg_partitioned_graph *
plan_of(const struct dg_partitioned_graphs *list, int64_t graph)
{
    for (size_t i = 0; i < list->n_items; i++) {
        if (list->items[i].nodes.graph.id != graph)
            continue;
        for (uint32_t tag = 0; tag < list->items[i].n_tags; tag++) {
            if (compiles(list->items[i].tags[tag].backend))
                return &list->items[i];
        }
    }
    return NULL;
}

static enum dg_status look_at_graph(struct walk *walk, int64_t graph, bool planned,
                                    struct dg_error *err)
{
    const struct dg_partitioned_graphs *list;
    struct dg_alias alias;
    struct dg_arena memory = {0};
    enum dg_status status = dg_partitioned_read(&list, walk->found->store, err);
    const struct dg_partitioned_graph *tagged;

    if (status)
        return status;
    status = dg_alias_load(&alias, walk->found->store, graph, err);
    if (!status) {
        walk->alias = &alias;
        walk->judge = dg_view_judge_new(&alias, walk->found->store);
        walk->members = dg_alloc(&memory, alias.graph.n_nodes, sizeof(*walk->members));
        tagged = plan_of(list, graph);
        status = tagged && !tagged->inside ? look_at_tags(walk, tagged, err)
                                           : look_at_whole(walk, planned, err);
        dg_view_judge_free(walk->judge);
    }
    dg_arena_clear(&memory);
    dg_alias_clear(&alias);
    return status;
}

/* Operators that write, and those that nothing is known of. */
#define WRITERS                                                                        \
    "writer AS MATERIALIZED (SELECT 1 FROM op WHERE flags & (1 << 5) OR (args IS NULL" \
    "  AND instr(name, '::') AND name NOT IN ('higher_order::cond',"                   \
    "   'higher_order::map_impl', 'higher_order::scan', 'higher_order::while_loop',"   \
    "   'higher_order::executorch_call_delegate')) LIMIT 1)"

/* Graphs with copies of views, but for what other backends got. */
static const char graphs_sql[] =
    "WITH copy AS MATERIALIZED (SELECT id FROM op WHERE flags & (1 << 8)), " WRITERS ","
    " has AS (SELECT DISTINCT graph_id AS id FROM node"
    "   WHERE EXISTS (SELECT 1 FROM copy) AND op_id IN (SELECT id FROM copy))"
    "SELECT g.id, d.id IS NOT NULL FROM has CROSS JOIN \"graph\" AS g ON g.id = has.id"
    "  JOIN method AS m ON m.id = g.method_id AND m.ir <> 'pte'"
    "  LEFT JOIN (SELECT graph_id, min(id) AS id FROM delegate"
    "   WHERE backend IN " DG_AOTI " GROUP BY graph_id) AS d ON d.graph_id = g.id"
    " WHERE (g.kind <> 'lowered' OR d.id IS NOT NULL)"
    "   AND (NOT ?1 OR EXISTS (SELECT 1 FROM writer) OR EXISTS (SELECT 1 FROM signature"
    "     WHERE graph_id = g.id AND direction = 'output' AND spec LIKE '%_mutation'))"
    " ORDER BY g.id";

enum dg_status dg_each_cuda_scope(const struct dg_findings *found,
                                  dg_cuda_scope_fn *look, bool only_written,
                                  struct dg_error *err)
{
    struct walk walk = {.found = found, .look = look, .only_written = only_written};
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, found->store, graphs_sql, err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, only_written);
    while (!status && dg_rows_next(&rows))
        status =
            look_at_graph(&walk, dg_rows_int(&rows, 0), dg_rows_int(&rows, 1), err);
    return dg_rows_close(&rows, status, err);
}
