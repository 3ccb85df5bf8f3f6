/* Plans in the store: reading the newest, starting another. */
#include "partition/partitioned.h"

#include "partition/partitioned_inside.h"

#include <stdlib.h>

#include "graph/model_names.h"

struct kept {
    struct dg_partitioned_graphs list;
    struct dg_arena memory;
};

static void release(void *object)
{
    struct kept *kept = object;

    for (size_t i = 0; i < kept->list.n_items; i++)
        dg_nodes_clear(&kept->list.items[i].nodes);
    free(kept->list.items);
    dg_arena_clear(&kept->memory);
    free(kept);
}

static struct dg_text keep_text(struct kept *kept, struct dg_text text)
{
    if (!text.data)
        return text;
    return (struct dg_text){dg_copy(&kept->memory, text), text.size};
}

#define NEWEST "(SELECT max(id) FROM part_run GROUP BY artifact_id)"

/* Graphs with tags, and how many they have. */
static const char graphs_sql[] =
    "SELECT graph_id, count(*) FROM partition"
    " WHERE part_run_id IN " NEWEST " GROUP BY graph_id ORDER BY graph_id";

static const char tags_sql[] =
    "SELECT id, tag, backend, declared IS NOT 0, pos FROM partition"
    " WHERE part_run_id IN " NEWEST " AND graph_id = ?1 ORDER BY part_run_id, pos";

static enum dg_status read_tags(struct dg_partitioned_graph *tagged, struct kept *kept,
                                struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, tags_sql, tagged->nodes.graph.id, err);
    uint32_t n = 0;

    while (n < tagged->n_tags && dg_rows_next(&rows)) {
        tagged->tags[n++] = (struct dg_tag){
            .id = dg_rows_int(&rows, 0),
            .name = keep_text(kept, dg_rows_slice(&rows, 1)),
            .backend = keep_text(kept, dg_rows_slice(&rows, 2)),
            .known = dg_rows_int(&rows, 3),
            .pos = dg_rows_int(&rows, 4),
        };
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status read_members(struct dg_partitioned_graph *tagged, uint32_t tag,
                                   struct dg_rows *rows, struct dg_error *err)
{
    const struct dg_graph *graph = &tagged->nodes.graph;

    dg_rows_bind_int(rows, 1, tagged->tags[tag].id);
    while (dg_rows_next(rows)) {
        int64_t i = dg_rows_int(rows, 0) - graph->first_id;

        if (i >= 0 && i < graph->n_nodes)
            tagged->tag_of[i] = tag;
    }
    return dg_rows_again(rows, err);
}

static enum dg_status read_all_members(struct dg_partitioned_graph *tagged,
                                       struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store,
                     "SELECT node_id FROM partition_node WHERE partition_id = ?1", err);

    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes; i++)
        tagged->tag_of[i] = DG_UNTAGGED;
    if (status)
        return status;
    for (uint32_t tag = 0; tag < tagged->n_tags && !status; tag++)
        status = read_members(tagged, tag, &rows, err);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status read_graph(struct kept *kept, struct dg_store *store,
                                 int64_t graph, uint32_t n_tags, struct dg_error *err)
{
    struct dg_partitioned_graph *tagged =
        DG_APPEND(kept->list.items, kept->list.n_items);
    enum dg_status status;

    *tagged = (struct dg_partitioned_graph){.n_tags = n_tags, .visited = true};
    status = dg_nodes_load(&tagged->nodes, store, graph, err);
    tagged->tags = dg_alloc(&kept->memory, n_tags, sizeof(*tagged->tags));
    tagged->tag_of =
        dg_alloc(&kept->memory, tagged->nodes.graph.n_nodes, sizeof(*tagged->tag_of));
    if (!status)
        status = read_tags(tagged, kept, store, err);
    return status ? status : read_all_members(tagged, store, err);
}

static enum dg_status read_graphs(struct kept *kept, struct dg_store *store,
                                  struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(store, graphs_sql, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = read_graph(kept, store, dg_rows_int(&rows, 0),
                            (uint32_t)dg_rows_int(&rows, 1), err);
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_partitioned_read(const struct dg_partitioned_graphs **out,
                                   struct dg_store *store, struct dg_error *err)
{
    struct kept *kept = dg_store_kept(store, release);
    enum dg_status status = DG_OK;

    if (!kept) {
        kept = calloc(1, sizeof(*kept));
        if (!kept)
            dg_out_of_memory();
        status = read_graphs(kept, store, err);
        if (!status)
            status = dg_partitioned_find_inside(&kept->list, store, err);
        if (status) {
            release(kept);
            return status;
        }
        dg_store_keep(store, kept, release);
    }
    *out = &kept->list;
    return DG_OK;
}

void dg_partitioned_drop(struct dg_store *store)
{
    dg_store_drop(store, release);
    dg_store_drop_read_rows(store);
    dg_model_names_drop(store);
}

enum dg_status dg_plan_begin(struct dg_new_plan *plan, struct dg_store *store,
                             struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store, "INSERT INTO part_run VALUES (NULL, ?1, ?2, ?3, ?4) RETURNING id",
        err);

    dg_store_drop(store, release);
    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, plan->artifact);
    dg_rows_bind_text(&rows, 2, dg_text(plan->source));
    dg_rows_bind_text(&rows, 3, plan->path);
    dg_rows_bind_text(&rows, 4, plan->options);
    if (dg_rows_next(&rows))
        plan->id = dg_rows_int(&rows, 0);
    return dg_rows_close(&rows, DG_OK, err);
}

static void bind_unless_none(struct dg_rows *rows, int parameter, int64_t value)
{
    if (value >= 0)
        dg_rows_bind_int(rows, parameter, value);
}

enum dg_status dg_plan_add_tag(const struct dg_new_plan *plan, struct dg_store *store,
                               const struct dg_new_tag *tag, int64_t *id,
                               struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store,
        "INSERT INTO partition VALUES (NULL, ?1, ?2, ?3, ?4, ?5, ?6, ?7) RETURNING id",
        err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, plan->id);
    dg_rows_bind_int(&rows, 2, tag->graph);
    dg_rows_bind_int(&rows, 3, tag->pos);
    bind_unless_none(&rows, 4, tag->number);
    dg_rows_bind_text(&rows, 5, tag->name);
    bind_unless_none(&rows, 6, tag->declared);
    dg_rows_bind_text(&rows, 7, tag->backend);
    if (dg_rows_next(&rows))
        *id = dg_rows_int(&rows, 0);
    return dg_rows_close(&rows, DG_OK, err);
}
