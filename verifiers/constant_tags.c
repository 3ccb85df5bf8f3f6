/* Which tag a constant has by itself. */
#include <string.h>

#include "verifiers/constant_parts.h"

static bool is_less(struct dg_text a, struct dg_text b)
{
    int order = memcmp(a.data, b.data, a.size < b.size ? a.size : b.size);

    return order ? order < 0 : a.size < b.size;
}

/* The least tag of the users in the order of strings; DG_UNTAGGED: they have none. */
static uint32_t least_tag(const struct dg_partitioned_graph *tagged, uint32_t node)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    uint32_t least = DG_UNTAGGED;

    for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
        uint32_t tag = tagged->tag_of[graph->users[i]];

        if (tag != DG_UNTAGGED && tag != least &&
            (least == DG_UNTAGGED ||
             is_less(tagged->tags[tag].name, tagged->tags[least].name)))
            least = tag;
    }
    return least;
}

static enum dg_status look_at_minimum(const struct dg_findings *found,
                                      const struct dg_partitioned_graph *tagged,
                                      struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes && !status; i++) {
        uint32_t tag = tagged->tag_of[i], least;

        if (!(tagged->nodes.marks[i] & DG_MARK_CONSTANT) || tag == DG_UNTAGGED)
            continue;
        least = least_tag(tagged, i);
        if (least != DG_UNTAGGED && least != tag)
            status = dg_find_planned(
                found, tagged, &(struct dg_offence){.node = i}, err,
                "%.*s is tagged %.*s; tag_constant_data would take %.*s, the least tag"
                " of its users",
                DG_SHOWN(tagged->nodes.names[i]), DG_SHOWN(tagged->tags[tag].name),
                DG_SHOWN(tagged->tags[least].name));
    }
    return status;
}

enum dg_status dg_check_tag_is_min(const struct dg_findings *found,
                                   struct dg_error *err)
{
    return dg_each_planned(found, look_at_minimum, err);
}

static bool has_users(const struct dg_graph *graph, uint32_t node)
{
    return graph->user_of[node] < graph->user_of[node + 1];
}

/* A backend that compiles all constants of a program, those that nothing reads, too. */
static const struct dg_tag *find_consumer(const struct dg_partitioned_graph *tagged)
{
    for (uint32_t i = 0; i < tagged->n_tags; i++) {
        if (dg_text_is(tagged->tags[i].backend, "CudaBackend") ||
            dg_text_is(tagged->tags[i].backend, "MetalBackend"))
            return &tagged->tags[i];
    }
    return NULL;
}

static enum dg_status look_at_unused(const struct dg_findings *found,
                                     const struct dg_partitioned_graph *tagged,
                                     struct dg_error *err)
{
    const struct dg_tag *consumer = find_consumer(tagged);
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; consumer && i < tagged->nodes.graph.n_nodes && !status; i++) {
        if (!(tagged->nodes.marks[i] & DG_MARK_CONSTANT) ||
            tagged->tag_of[i] != DG_UNTAGGED || has_users(&tagged->nodes.graph, i))
            continue;
        status = dg_find_planned(
            found, tagged, &(struct dg_offence){.node = i}, err,
            "nothing reads %.*s, and it has no tag: AOTI's partitioner tags it %.*s, so"
            " that %.*s takes it, too",
            DG_SHOWN(tagged->nodes.names[i]), DG_SHOWN(consumer->name),
            DG_SHOWN(consumer->backend));
    }
    return status;
}

enum dg_status dg_check_unused_untagged(const struct dg_findings *found,
                                        struct dg_error *err)
{
    return dg_each_planned(found, look_at_unused, err);
}

static bool only_delegates_read(const struct dg_partitioned_graph *tagged,
                                uint32_t node)
{
    const struct dg_graph *graph = &tagged->nodes.graph;

    for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
        if (!(tagged->nodes.marks[graph->users[i]] & DG_MARK_DELEGATE))
            return false;
    }
    return has_users(graph, node);
}

static enum dg_status look_at_delegates(const struct dg_findings *found,
                                        const struct dg_partitioned_graph *tagged,
                                        struct dg_error *err)
{
    const struct dg_graph *graph = &tagged->nodes.graph;
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < graph->n_nodes && !status; i++) {
        if (!(tagged->nodes.marks[i] & DG_MARK_CONSTANT) ||
            tagged->tag_of[i] == DG_UNTAGGED || !only_delegates_read(tagged, i))
            continue;
        status = dg_find_planned(
            found, tagged,
            &(struct dg_offence){.node = i,
                                 .witness =
                                     (uint32_t[]){i, graph->users[graph->user_of[i]]},
                                 .n_witness = 2},
            err,
            "%.*s is tagged %.*s, but only calls of delegates read it (%.*s first)",
            DG_SHOWN(tagged->nodes.names[i]), DG_SHOWN(dg_tag_in_words(tagged, i)),
            DG_SHOWN(tagged->nodes.names[graph->users[graph->user_of[i]]]));
    }
    return status;
}

enum dg_status dg_check_prior_delegate_only(const struct dg_findings *found,
                                            struct dg_error *err)
{
    return dg_each_planned(found, look_at_delegates, err);
}
