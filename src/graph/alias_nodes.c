/* What the sweep over a scope learns of the nodes that it meets, from the last on. */
#include "graph/alias_parts.h"

void dg_pass_output(struct dg_view_judge *judge, uint32_t node)
{
    const struct dg_graph *graph = &judge->alias->graph;

    for (uint32_t i = graph->input_of[node]; i < graph->input_of[node + 1]; i++) {
        uint32_t source = graph->inputs[i];

        judge->live[source] = true;
        if (judge->updates[source])
            judge->updates[source]--;
        else
            dg_note_read(judge, source, dg_next_call(judge));
    }
}

void dg_look_outside(struct dg_view_judge *judge, uint32_t node)
{
    const struct dg_graph *graph = &judge->alias->graph;

    for (uint32_t i = graph->user_of[node]; i < graph->user_of[node + 1]; i++) {
        if (dg_is_member(judge, graph->users[i]))
            continue;
        judge->live[node] = true;
        if (!(dg_is_output(judge->alias, graph->users[i]) && judge->updates[node]))
            dg_note_read(judge, node, dg_next_call(judge));
    }
}

/* Whether somebody reads what `node` writes; of what it may write, everybody. */
static bool is_write_seen(struct dg_view_judge *judge, uint32_t node)
{
    uint32_t n_links;
    const struct dg_alias_link *links = dg_links_of(judge, node, &n_links);

    for (uint32_t i = 0; i < n_links; i++) {
        if (links[i].writes && dg_class_of(judge, DG_MAYBE, links[i].source)->read)
            return true;
    }
    return false;
}

static uint8_t wants(unsigned effects)
{
    return (effects & DG_EFFECT_STRICT ? DG_WANTS_VIEWABLE : 0) |
           (effects & DG_EFFECT_EXACT ? DG_WANTS_EXACT : 0);
}

static void need_strides(struct dg_view_judge *judge, uint32_t node)
{
    const struct dg_graph *graph = &judge->alias->graph;
    unsigned effects = judge->alias->effects[node];
    bool view = effects & (DG_EFFECT_VIEW | DG_EFFECT_MAYBE);

    for (uint32_t i = graph->input_of[node]; i < graph->input_of[node + 1]; i++) {
        uint32_t source = graph->inputs[i];

        judge->wanted[source] |= wants(effects) | (view ? judge->wanted[node] : 0);
        judge->far_wanted[source] |=
            judge->wanted[source] |
            (effects & DG_EFFECT_STRIDES ? judge->far_wanted[node] : 0);
    }
}

static bool reads_data(unsigned effects)
{
    return !(effects & (DG_EFFECT_SHAPE | DG_EFFECT_ITEM)) &&
           (effects & DG_EFFECT_WRITE || !(effects & DG_EFFECT_VIEW));
}

/* A fill reads all but what it writes, which stands first. */
static void read_inputs(struct dg_view_judge *judge, uint32_t node, bool is_view)
{
    const struct dg_graph *graph = &judge->alias->graph;
    unsigned effects = judge->alias->effects[node];
    uint32_t i = graph->input_of[node];

    for (uint32_t k = i; k < graph->input_of[node + 1]; k++)
        judge->live[graph->inputs[k]] = true;
    if (is_view)
        return;
    for (i += (effects & DG_EFFECT_FILL) != 0; i < graph->input_of[node + 1]; i++) {
        if (reads_data(effects))
            dg_note_read(judge, graph->inputs[i], node + 1);
    }
}

static void write_inputs(struct dg_view_judge *judge, uint32_t node)
{
    uint32_t n_links;
    const struct dg_alias_link *links = dg_links_of(judge, node, &n_links);
    bool opaque = judge->alias->effects[node] & DG_EFFECT_OPAQUE;

    for (uint32_t i = 0; i < n_links; i++) {
        if (links[i].writes)
            dg_note_write(judge, DG_SURE, links[i].source, node + 1);
        if (links[i].writes || opaque)
            dg_note_write(judge, DG_MAYBE, links[i].source, node + 1);
    }
}

void dg_pass_node(struct dg_view_judge *judge, uint32_t node, bool is_view)
{
    unsigned effects = judge->alias->effects[node];

    dg_look_outside(judge, node);
    judge->live[node] |= effects & DG_EFFECT_KEEPS || is_write_seen(judge, node);
    need_strides(judge, node);
    if (judge->live[node])
        read_inputs(judge, node, is_view);
    write_inputs(judge, node);
}
