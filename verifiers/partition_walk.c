/* What the rules about partitions share. */
#include "verifiers/partition_parts.h"

#include "base/text.h"
#include "base/text_set.h"

/* Paths of graphs that lowering does not come to, behind the method's id. */
struct hidden {
    struct dg_text_set paths;
    struct dg_arena memory;
};

static struct dg_text path_key(struct dg_arena *memory, int64_t method,
                               struct dg_text path)
{
    return dg_format(memory, "%lld/%.*s", (long long)method, DG_SHOWN(path));
}

static enum dg_status hide_lowered(struct hidden *hidden, struct dg_store *store,
                                   struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store, "SELECT method_id, path FROM \"graph\" WHERE kind = 'lowered'",
        err);

    if (status)
        return status;
    while (dg_rows_next(&rows))
        dg_text_set_add(&hidden->paths, path_key(&hidden->memory, dg_rows_int(&rows, 0),
                                                 dg_rows_slice(&rows, 1)));
    return dg_rows_close(&rows, DG_OK, err);
}

static void hide_branch(struct hidden *hidden, const struct dg_nodes *parent,
                        struct dg_text target)
{
    struct dg_text path = target;

    if (parent->path.size)
        path = dg_format(&hidden->memory, "%.*s.%.*s", DG_SHOWN(parent->path),
                         DG_SHOWN(target));
    dg_text_set_add(&hidden->paths, path_key(&hidden->memory, parent->method_id, path));
}

static enum dg_status hide_branches_of(struct hidden *hidden, struct dg_rows *targets,
                                       const struct dg_nodes *nodes, uint32_t call,
                                       struct dg_error *err)
{
    const struct dg_graph *graph = &nodes->graph;
    enum dg_status status = DG_OK;

    for (uint32_t i = graph->input_of[call]; i < graph->input_of[call + 1] && !status;
         i++) {
        if (!(nodes->marks[graph->inputs[i]] & DG_MARK_GET_ATTR))
            continue;
        dg_rows_bind_int(targets, 1, graph->first_id + graph->inputs[i]);
        if (dg_rows_next(targets))
            hide_branch(hidden, nodes, dg_rows_slice(targets, 0));
        status = dg_rows_again(targets, err);
    }
    return status;
}

/* A delegate gets the branches of its calls as they are, and lowering does not look
 * into those of a while_loop. */
static enum dg_status hide_branches(struct hidden *hidden,
                                    const struct dg_tagged *tagged,
                                    struct dg_rows *targets, struct dg_error *err)
{
    const struct dg_nodes *nodes = &tagged->nodes;
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < nodes->graph.n_nodes && !status; i++) {
        if (nodes->marks[i] & DG_MARK_CONTROL &&
            (dg_lowered_tag(tagged, i) != DG_UNTAGGED ||
             dg_text_is(nodes->ops[i], "higher_order::while_loop")))
            status = hide_branches_of(hidden, targets, nodes, i, err);
    }
    return status;
}

static enum dg_status find_hidden(struct hidden *hidden,
                                  const struct dg_tagged_list *list,
                                  struct dg_store *store, struct dg_error *err)
{
    struct dg_rows targets;
    enum dg_status status = hide_lowered(hidden, store, err);

    if (!status)
        status =
            dg_rows_open(&targets, store, "SELECT target FROM node WHERE id = ?1", err);
    if (status)
        return status;
    for (size_t i = 0; i < list->n_items && !status && list->n_items > 1; i++)
        status = hide_branches(hidden, &list->items[i], &targets, err);
    return dg_rows_close(&targets, status, err);
}

/* Whether lowering does not come to the graph, nor to one that it is a branch of. */
static bool is_hidden(struct hidden *hidden, const struct dg_nodes *nodes)
{
    struct dg_text key;
    bool answer = false;

    if (!hidden->paths.n_texts)
        return false;
    key = path_key(&hidden->memory, nodes->method_id, nodes->path);
    for (size_t i = 0; i <= key.size && !answer; i++) {
        if (i == key.size || key.data[i] == '.')
            answer = dg_text_set_find(&hidden->paths, (struct dg_text){key.data, i}) !=
                     DG_NO_TEXT;
    }
    return answer;
}

enum dg_status dg_each_lowered(const struct dg_findings *found, dg_planned_fn *look,
                               struct dg_error *err)
{
    const struct dg_tagged_list *list;
    struct hidden hidden = {0};
    enum dg_status status = dg_tagged_read(&list, found->store, err);

    if (!status)
        status = find_hidden(&hidden, list, found->store, err);
    for (size_t i = 0; !status && i < list->n_items; i++) {
        if (!is_hidden(&hidden, &list->items[i].nodes))
            status = look(found, &list->items[i], err);
    }
    dg_text_set_clear(&hidden.paths);
    dg_arena_clear(&hidden.memory);
    return status;
}

struct dg_text dg_name_nodes(struct dg_arena *memory, const struct dg_tagged *tagged,
                             const uint32_t *nodes, size_t n_nodes,
                             const char *separator)
{
    enum { SHOWN = 5 };
    struct dg_writer out = {0};
    struct dg_text text;

    for (size_t i = 0; i < n_nodes && i < SHOWN; i++) {
        dg_print(&out, "%s", i ? separator : "");
        dg_write_text(&out, tagged->nodes.names[nodes[i]]);
    }
    if (n_nodes > SHOWN)
        dg_print(&out, "%s%zu more", separator, n_nodes - SHOWN);
    text.data = dg_copy(memory, (struct dg_text){out.data, out.size});
    text.size = out.size;
    dg_writer_clear(&out);
    return text;
}
