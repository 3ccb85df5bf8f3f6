/* What the rules about partitions share. */
#include "verifiers/partition_parts.h"

#include "base/text.h"
#include "base/text_set.h"

/* Paths of the graphs that delegates were lowered from, behind the method's id. */
struct lowered {
    struct dg_text_set paths;
    struct dg_arena memory;
};

static struct dg_text path_key(struct dg_arena *memory, int64_t method,
                               struct dg_text path)
{
    return dg_format(memory, "%lld/%.*s", (long long)method, DG_SHOWN(path));
}

static enum dg_status read_lowered(struct lowered *lowered, struct dg_store *store,
                                   struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store, "SELECT method_id, path FROM \"graph\" WHERE kind = 'lowered'",
        err);

    if (status)
        return status;
    while (dg_rows_next(&rows))
        dg_text_set_add(
            &lowered->paths,
            path_key(&lowered->memory, dg_rows_int(&rows, 0), dg_rows_slice(&rows, 1)));
    return dg_rows_close(&rows, DG_OK, err);
}

/* Whether a delegate was lowered from the graph, or from one that it is a branch of. */
static bool was_lowered(struct lowered *lowered, const struct dg_nodes *nodes)
{
    struct dg_text key;
    bool answer = false;

    if (!lowered->paths.n_texts)
        return false;
    key = path_key(&lowered->memory, nodes->method_id, nodes->path);
    for (size_t i = 0; i <= key.size && !answer; i++) {
        if (i == key.size || key.data[i] == '.')
            answer = dg_text_set_find(&lowered->paths, (struct dg_text){key.data, i}) !=
                     DG_NO_TEXT;
    }
    return answer;
}

enum dg_status dg_each_lowered(const struct dg_findings *found, dg_planned_fn *look,
                               struct dg_error *err)
{
    const struct dg_tagged_list *list;
    struct lowered lowered = {0};
    enum dg_status status = dg_tagged_read(&list, found->store, err);

    if (!status)
        status = read_lowered(&lowered, found->store, err);
    for (size_t i = 0; !status && i < list->n_items; i++) {
        if (!was_lowered(&lowered, &list->items[i].nodes))
            status = look(found, &list->items[i], err);
    }
    dg_text_set_clear(&lowered.paths);
    dg_arena_clear(&lowered.memory);
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
