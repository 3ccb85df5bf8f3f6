/* Nodes that have a tag, or lack one, where lowering or emission then fails. */
#include <string.h>

#include "verifiers/partition_parts.h"

static enum dg_status look_at_outputs(const struct dg_findings *found,
                                      const struct dg_partitioned_graph *tagged,
                                      struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes && !status; i++) {
        if (tagged->nodes.marks[i] & DG_MARK_OUTPUT &&
            dg_lowered_tag(tagged, i) != DG_UNTAGGED)
            status = dg_find_planned(
                found, tagged, &(struct dg_offence){.node = i}, err,
                "%.*s is tagged %.*s; lowering fails with \"output node %.*s should not"
                " be tagged\"",
                DG_SHOWN(tagged->nodes.names[i]), DG_SHOWN(dg_tag_in_words(tagged, i)),
                DG_SHOWN(tagged->nodes.names[i]));
    }
    return status;
}

enum dg_status dg_check_output_untagged(const struct dg_findings *found,
                                        struct dg_error *err)
{
    return dg_each_lowered(found, look_at_outputs, err);
}

static enum dg_status look_at_inputs(const struct dg_findings *found,
                                     const struct dg_partitioned_graph *tagged,
                                     struct dg_error *err)
{
    enum dg_status status = DG_OK;
    bool branch = tagged->nodes.path.size;

    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes && !status; i++) {
        unsigned marks = tagged->nodes.marks[i];

        if (!(marks & DG_MARK_PLACEHOLDER) || marks & DG_MARK_CONSTANT ||
            dg_lowered_tag(tagged, i) == DG_UNTAGGED)
            continue;
        status = dg_find_planned(
            found, tagged, &(struct dg_offence){.node = i}, err,
            "%.*s is %s, and tagged %.*s; lowering %s",
            DG_SHOWN(tagged->nodes.names[i]),
            branch ? "what a branch is given" : "an input of the program",
            DG_SHOWN(dg_tag_in_words(tagged, i)),
            branch ? "fails, or emits a delegate without it"
                   : "fails with \"placeholder node for non-params, non-buffer, and"
                     " non-tensor constants should not be tagged\"");
    }
    return status;
}

enum dg_status dg_check_inputs_untagged(const struct dg_findings *found,
                                        struct dg_error *err)
{
    return dg_each_lowered(found, look_at_inputs, err);
}

/* A lowered module: what only calls of delegates read. */
static bool is_lowered_module(const struct dg_nodes *nodes, uint32_t node)
{
    const struct dg_graph *graph = &nodes->graph;

    for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
        if (!(nodes->marks[graph->users[i]] & DG_MARK_DELEGATE))
            return false;
    }
    return graph->user_of[node] < graph->user_of[node + 1];
}

static const char *part_of_delegate(const struct dg_nodes *nodes, uint32_t node)
{
    if (nodes->marks[node] & DG_MARK_DELEGATE)
        return "the call of a delegate";
    if (nodes->marks[node] & DG_MARK_DELEGATE_ITEM)
        return "a result of a delegate";
    if (nodes->marks[node] & DG_MARK_GET_ATTR && is_lowered_module(nodes, node))
        return "the module of a delegate";
    return NULL;
}

static enum dg_status look_for_delegates(const struct dg_findings *found,
                                         const struct dg_partitioned_graph *tagged,
                                         struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes && !status; i++) {
        const char *what = dg_lowered_tag(tagged, i) != DG_UNTAGGED
                               ? part_of_delegate(&tagged->nodes, i)
                               : NULL;

        if (what)
            status = dg_find_planned(
                found, tagged, &(struct dg_offence){.node = i}, err,
                "%.*s is %s, and tagged %.*s: one delegate would go into another",
                DG_SHOWN(tagged->nodes.names[i]), what,
                DG_SHOWN(dg_tag_in_words(tagged, i)));
    }
    return status;
}

enum dg_status dg_check_no_delegate_inside(const struct dg_findings *found,
                                           struct dg_error *err)
{
    return dg_each_lowered(found, look_for_delegates, err);
}

/* What the getitem takes apart, if lowering puts the two apart; else DG_UNTAGGED. */
static uint32_t lost_producer(const struct dg_partitioned_graph *tagged, uint32_t node)
{
    const struct dg_nodes *nodes = &tagged->nodes;
    uint32_t from;

    if (!(nodes->marks[node] & DG_MARK_GETITEM) ||
        nodes->graph.input_of[node] == nodes->graph.input_of[node + 1])
        return DG_UNTAGGED;
    from = nodes->graph.inputs[nodes->graph.input_of[node]];
    if (!(nodes->marks[from] & DG_MARK_CALL) || nodes->marks[from] & DG_MARK_DELEGATE ||
        dg_lowered_tag(tagged, node) == dg_lowered_tag(tagged, from))
        return DG_UNTAGGED;
    return from;
}

/* Emission drops what nothing reads, and with it the tuple's only use. */
static enum dg_status find_lost(const struct dg_findings *found,
                                const struct dg_partitioned_graph *tagged,
                                uint32_t node, uint32_t from, struct dg_error *err)
{
    const struct dg_nodes *nodes = &tagged->nodes;
    bool dead = nodes->graph.user_of[node] == nodes->graph.user_of[node + 1];
    uint32_t pair[] = {from, node};
    struct dg_offence offence = {.severity = dead ? "warning" : NULL,
                                 .node = node,
                                 .witness = pair,
                                 .n_witness = 2};

    return dg_find_planned(
        found, tagged, &offence, err,
        "%.*s (%.*s) takes apart the tuple of %.*s (%.*s): tuples do not go into or out"
        " of delegates, and to_executorch() %s",
        DG_SHOWN(nodes->names[node]), DG_SHOWN(dg_tag_in_words(tagged, node)),
        DG_SHOWN(nodes->names[from]), DG_SHOWN(dg_tag_in_words(tagged, from)),
        dead ? "may fail, though nothing reads it" : "fails");
}

static enum dg_status look_at_getitems(const struct dg_findings *found,
                                       const struct dg_partitioned_graph *tagged,
                                       struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < tagged->nodes.graph.n_nodes && !status; i++) {
        uint32_t from = lost_producer(tagged, i);

        if (from != DG_UNTAGGED)
            status = find_lost(found, tagged, i, from, err);
    }
    return status;
}

enum dg_status dg_check_getitem_with_producer(const struct dg_findings *found,
                                              struct dg_error *err)
{
    return dg_each_lowered(found, look_at_getitems, err);
}

static bool has_infix(struct dg_text text, const char *infix)
{
    size_t size = strlen(infix);

    for (size_t i = 0; text.data && i + size <= text.size; i++) {
        if (!memcmp(text.data + i, infix, size))
            return true;
    }
    return false;
}

static bool is_dequantize(struct dg_text op)
{
    return has_infix(op, "::dequantize");
}

static bool is_quantize(struct dg_text op)
{
    return has_infix(op, "::quantize_");
}

/* Whether `user` computes with what `from` dequantized, or quantizes with parameters
 * that were chosen in `from`. */
static bool belong_together(const struct dg_nodes *nodes, uint32_t from, uint32_t user)
{
    if (!(nodes->marks[user] & DG_MARK_CALL))
        return false;
    if (is_dequantize(dg_nodes_op(nodes, from)))
        return !is_quantize(dg_nodes_op(nodes, user));
    return is_quantize(dg_nodes_op(nodes, user)) &&
           nodes->marks[from] & DG_MARK_GETITEM;
}

static enum dg_status look_at_user(const struct dg_findings *found,
                                   const struct dg_partitioned_graph *tagged,
                                   uint32_t from, uint32_t user, struct dg_error *err)
{
    const struct dg_nodes *nodes = &tagged->nodes;
    uint32_t pair[] = {from, user};

    if (dg_lowered_tag(tagged, user) == DG_UNTAGGED ||
        tagged->tag_of[user] == tagged->tag_of[from] ||
        !belong_together(nodes, from, user))
        return DG_OK;
    return dg_find_planned(
        found, tagged,
        &(struct dg_offence){.node = user, .witness = pair, .n_witness = 2}, err,
        "%.*s (%.*s) reads %.*s (%.*s): its backend cannot see that they are one"
        " quantized operation, and computes it in floating point",
        DG_SHOWN(nodes->names[user]), DG_SHOWN(dg_tag_in_words(tagged, user)),
        DG_SHOWN(nodes->names[from]), DG_SHOWN(dg_tag_in_words(tagged, from)));
}

static enum dg_status look_for_splits(const struct dg_findings *found,
                                      const struct dg_partitioned_graph *tagged,
                                      struct dg_error *err)
{
    const struct dg_nodes *nodes = &tagged->nodes;
    const struct dg_graph *graph = &nodes->graph;
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < graph->n_nodes && !status; i++) {
        if (!is_dequantize(dg_nodes_op(nodes, i)) &&
            (!(nodes->marks[i] & DG_MARK_GETITEM) ||
             dg_lowered_tag(tagged, i) == DG_UNTAGGED))
            continue;
        for (uint32_t u = graph->user_of[i]; u < graph->user_of[i + 1] && !status; u++)
            status = look_at_user(found, tagged, i, graph->users[u], err);
    }
    return status;
}

enum dg_status dg_check_qdq_split(const struct dg_findings *found, struct dg_error *err)
{
    return dg_each_lowered(found, look_for_splits, err);
}
