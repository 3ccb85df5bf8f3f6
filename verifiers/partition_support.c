/* Tagged calls against what their backend takes. */
#include <stdlib.h>
#include <string.h>

#include "partition/support.h"
#include "verifiers/partition_parts.h"

struct look {
    const struct dg_findings *found;
    const struct dg_partitioned_graph *tagged;
    const char *backend;
};

static bool is_for(const struct dg_partitioned_graph *tagged, uint32_t node,
                   const char *backend)
{
    uint32_t tag = dg_lowered_tag(tagged, node);

    return tag != DG_UNTAGGED && dg_text_is(tagged->tags[tag].backend, backend);
}

/* What an operator cannot do is plain; a dtype or an argument may be a limit that a
 * newer backend does not have. */
static enum dg_status on_refused(void *context, uint32_t node, const char *reason,
                                 struct dg_text text, struct dg_error *err)
{
    const struct look *look = context;
    struct dg_offence offence = {.node = node};

    if (!is_for(look->tagged, node, look->backend))
        return DG_OK;
    if (strcmp(reason, "op") != 0)
        offence.severity = "note";
    return dg_find_planned(
        look->found, look->tagged, &offence, err, "%.*s is for %s: %.*s",
        DG_SHOWN(dg_tag_in_words(look->tagged, node)), look->backend, DG_SHOWN(text));
}

static bool has_backend(const struct dg_partitioned_graph *tagged, const char *backend)
{
    bool any = false;

    for (uint32_t tag = 0; tag < tagged->n_tags; tag++)
        any = any || dg_text_is(tagged->tags[tag].backend, backend);
    return any;
}

/* The marks of the nodes are the plan's: a list is applied to a copy of them. */
static enum dg_status apply(struct look *look, const char *list, struct dg_error *err)
{
    struct dg_nodes nodes;
    struct dg_support *support = NULL;
    enum dg_status status = dg_support_from_backend(&support, list, err);

    if (status)
        return status;
    dg_nodes_share(&nodes, &look->tagged->nodes);
    status =
        dg_support_apply(support, &nodes, look->found->store, on_refused, look, NULL,
                         err);
    dg_support_free(support);
    dg_nodes_clear(&nodes);
    return status;
}

static enum dg_status look_at_graph(const struct dg_findings *found,
                                    const struct dg_partitioned_graph *tagged,
                                    struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (const struct dg_listed_backend *one = dg_listed_backends; one->list && !status;
         one++) {
        struct look look = {found, tagged, one->backend};

        if (tagged->nodes.graph.n_nodes && has_backend(tagged, one->backend))
            status = apply(&look, one->list, err);
    }
    return status;
}

enum dg_status dg_check_support_respected(const struct dg_findings *found,
                                          struct dg_error *err)
{
    return dg_each_lowered(found, look_at_graph, err);
}
