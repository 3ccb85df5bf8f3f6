/* What the rules about partitions share. */
#include "verifiers/partition_parts.h"

#include "base/text.h"

enum dg_status dg_each_lowered(const struct dg_findings *found, dg_planned_fn *look,
                               struct dg_error *err)
{
    const struct dg_partitioned_graphs *list;
    enum dg_status status = dg_partitioned_read(&list, found->store, err);

    for (size_t i = 0; !status && i < list->n_items; i++)
        if (list->items[i].visited)
            status = look(found, &list->items[i], err);
    return status;
}

struct dg_text dg_name_nodes(struct dg_arena *memory,
                             const struct dg_partitioned_graph *tagged,
                             const uint32_t *nodes, size_t n_nodes,
                             const char *separator)
{
    enum { SHOWN = 5 };
    struct dg_writer out = {0};

    for (size_t i = 0; i < n_nodes && i < SHOWN; i++) {
        dg_print(&out, "%s", i ? separator : "");
        dg_write_text(&out, tagged->nodes.names[nodes[i]]);
    }
    if (n_nodes > SHOWN)
        dg_print(&out, "%s%zu more", separator, n_nodes - SHOWN);
    return dg_keep(memory, &out);
}
