/* A plan that was given instead of a partitioner: what it says, and the same mended. */
#include "partition/run_parts.h"
#include "partition/steps.h"

static enum dg_status find_tagged(struct dg_run_graph *graph, struct dg_store *store,
                                  struct dg_error *err)
{
    const struct dg_partitioned_graphs *list;
    enum dg_status status = dg_partitioned_read(&list, store, err);

    for (size_t i = 0; !status && i < list->n_items; i++) {
        if (list->items[i].nodes.graph.id == graph->nodes.graph.id)
            graph->mended = &list->items[i];
    }
    return status;
}

enum dg_status dg_run_read_plan(struct dg_run_graph *graph, struct dg_store *store,
                                struct dg_error *err)
{
    enum dg_status status = find_tagged(graph, store, err);
    uint32_t n_tags = graph->mended ? graph->mended->n_tags : 0;

    graph->tags = dg_alloc(&graph->memory, n_tags, sizeof(*graph->tags));
    for (uint32_t tag = 0; tag < n_tags; tag++)
        graph->tags[tag] = dg_copy_text(&graph->memory, graph->mended->tags[tag].name);
    for (uint32_t i = 0; i < graph->nodes.graph.n_nodes; i++) {
        graph->nodes.marks[i] &= (uint16_t)~DG_MARK_SUPPORTED;
        if (graph->mended && graph->mended->tag_of[i] != DG_UNTAGGED)
            graph->nodes.marks[i] |= DG_MARK_SUPPORTED;
    }
    return status;
}

void dg_run_take_plan(struct dg_run_graph *graph)
{
    struct dg_partitions *out = &graph->reference.partitions;
    uint32_t n = graph->nodes.graph.n_nodes;

    out->part_of = dg_alloc(&out->memory, n, sizeof(*out->part_of));
    for (uint32_t i = 0; i < n; i++)
        out->part_of[i] = graph->mended ? graph->mended->tag_of[i] : DG_NO_PART;
    dg_list_parts(out, graph->mended ? graph->mended->n_tags : 0, &graph->nodes.graph,
                  graph->nodes.marks, false);
}

/* Tags of the method, in all of its graphs: a plan knows a tag by its name. */
static void keep_names(struct dg_run_graph *graph,
                       const struct dg_partitioned_graph *tagged)
{
    for (uint32_t tag = 0; tag < tagged->n_tags; tag++)
        dg_text_set_add(&graph->method_tags,
                        dg_copy_text(&graph->memory, tagged->tags[tag].name));
}

enum dg_status dg_run_mend_plan(struct dg_run_graph *graph, struct dg_store *store,
                                struct dg_error *err)
{
    const struct dg_partitioned_graphs *list;
    enum dg_status status = dg_partitioned_read(&list, store, err);

    for (size_t i = 0; !status && i < list->n_items; i++) {
        if (list->items[i].nodes.method_id == graph->nodes.method_id)
            keep_names(graph, &list->items[i]);
    }
    dg_partition_repair(&graph->valid.partitions, &graph->piece_of, &graph->nodes.graph,
                        graph->nodes.marks, graph->mended->tag_of,
                        graph->mended->n_tags);
    return status;
}

/* "aoti_1_2" is the third piece of aoti_1; numbers that make another tag are left out.
 */
static struct dg_text piece_name(struct dg_run_graph *graph, uint32_t tag, uint32_t *n)
{
    struct dg_text whole = graph->tags[tag], name;

    do
        name = dg_format(&graph->memory, "%.*s_%u", (int)whole.size, whole.data, ++*n);
    while (dg_text_set_find(&graph->method_tags, name) != DG_NO_TEXT);
    return name;
}

void dg_run_name_pieces(struct dg_run_plan *plan, struct dg_run_graph *graph)
{
    struct dg_arena scratch = {0};
    uint32_t *n_names = dg_alloc(&scratch, graph->mended->n_tags, sizeof(*n_names));

    for (uint32_t i = 0; i < plan->partitions.n_parts; i++) {
        uint32_t id = plan->partitions.parts[i].id;
        uint32_t tag = plan == &graph->valid ? graph->piece_of[id] : id;
        const struct dg_tag *of = &graph->mended->tags[tag];

        plan->parts[i].tag =
            id == tag ? graph->tags[tag] : piece_name(graph, tag, &n_names[tag]);
        plan->parts[i].backend = dg_copy_text(&graph->memory, of->backend);
        plan->parts[i].mends = of->id;
        plan->parts[i].pos = id == tag ? of->pos : (int64_t)UINT32_MAX + id;
        plan->parts[i].declared = of->known;
    }
    dg_arena_clear(&scratch);
}

/* Whether `path` is that of a branch in `graph`, or in a branch of it. */
static bool lies_in(struct dg_text path, struct dg_text graph)
{
    return path.size > graph.size &&
           (!graph.size || (!memcmp(path.data, graph.data, graph.size) &&
                            path.data[graph.size] == '.'));
}

/* A branch goes where the call is that runs it, if that was of the same tag. */
static void follow_call(struct dg_text *tag, const struct dg_run_graph *graph,
                        uint32_t get_attr)
{
    const struct dg_graph *nodes = &graph->nodes.graph;

    for (uint32_t k = nodes->user_of[get_attr]; k < nodes->user_of[get_attr + 1]; k++) {
        uint32_t call = nodes->users[k], of = graph->mended->tag_of[call];

        if (graph->nodes.marks[call] & DG_MARK_CONTROL && of != DG_UNTAGGED &&
            dg_text_equal(graph->tags[of], *tag)) {
            *tag = graph->valid.parts[graph->valid.partitions.part_of[call]].tag;
            return;
        }
    }
}

/* The call reads a get_attr node of the branch's name. */
static enum dg_status find_piece(struct dg_text *tag, const struct dg_run_graph *graph,
                                 struct dg_text path, struct dg_store *store,
                                 struct dg_error *err)
{
    size_t begin = graph->nodes.path.size + (graph->nodes.path.size > 0);
    struct dg_text target = {path.data + begin, path.size - begin};
    const char *end = memchr(target.data, '.', target.size);
    struct dg_rows rows = dg_rows_of(store,
                                     "SELECT id FROM node WHERE graph_id = ?1"
                                     " AND kind = 'get_attr' AND target = ?2",
                                     graph->nodes.graph.id, err);

    if (end)
        target.size = (size_t)(end - target.data);
    if (rows.statement)
        dg_rows_bind_text(&rows, 2, target);
    while (dg_rows_next(&rows))
        follow_call(tag, graph,
                    (uint32_t)(dg_rows_int(&rows, 0) - graph->nodes.graph.first_id));
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status keep_branch(struct dg_run_graph *graph,
                                  const struct dg_partitioned_graph *tagged,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_run_branch *branch = DG_APPEND(graph->branches, graph->n_branches);
    uint32_t n_nodes = tagged->nodes.graph.n_nodes;
    enum dg_status status = DG_OK;

    *branch = (struct dg_run_branch){.graph = tagged->nodes.graph.id,
                                     .first_id = tagged->nodes.graph.first_id,
                                     .n_nodes = n_nodes,
                                     .n_tags = tagged->n_tags};
    branch->tag_of = dg_alloc(&graph->memory, n_nodes, sizeof(*branch->tag_of));
    branch->tags = dg_alloc(&graph->memory, tagged->n_tags, sizeof(*branch->tags));
    for (uint32_t i = 0; i < n_nodes; i++)
        branch->tag_of[i] = tagged->tag_of[i];
    for (uint32_t tag = 0; tag < tagged->n_tags && !status; tag++) {
        const struct dg_tag *of = &tagged->tags[tag];

        branch->tags[tag] =
            (struct dg_run_part){.tag = dg_copy_text(&graph->memory, of->name),
                                 .backend = dg_copy_text(&graph->memory, of->backend),
                                 .mends = of->id,
                                 .pos = of->pos,
                                 .declared = of->known};
        if (!graph->acyclic)
            status = find_piece(&branch->tags[tag].tag, graph, tagged->nodes.path,
                                store, err);
    }
    return status;
}

bool dg_run_mends(const struct dg_partitioned_graph *tagged)
{
    return tagged->visited && !tagged->inside;
}

/* Whether a graph between the two is mended for itself: then that keeps the branch. */
static bool has_nearer(const struct dg_partitioned_graphs *list,
                       const struct dg_nodes *branch, const struct dg_nodes *graph)
{
    for (size_t i = 0; i < list->n_items; i++) {
        const struct dg_nodes *other = &list->items[i].nodes;

        if (dg_run_mends(&list->items[i]) && other->method_id == graph->method_id &&
            lies_in(other->path, graph->path) && lies_in(branch->path, other->path))
            return true;
    }
    return false;
}

enum dg_status dg_run_keep_branches(struct dg_run_graph *graph, struct dg_store *store,
                                    struct dg_error *err)
{
    const struct dg_partitioned_graphs *list;
    enum dg_status status = dg_partitioned_read(&list, store, err);

    for (size_t i = 0; !status && i < list->n_items; i++) {
        const struct dg_nodes *nodes = &list->items[i].nodes;

        if (!dg_run_mends(&list->items[i]) &&
            nodes->method_id == graph->nodes.method_id &&
            lies_in(nodes->path, graph->nodes.path) &&
            !has_nearer(list, nodes, &graph->nodes))
            status = keep_branch(graph, &list->items[i], store, err);
    }
    return status;
}
