/* The order of calls in a .pt2: who reads or writes a tensor that an operator changes,
 * before or behind whom. */
#include <stdlib.h>

#include "base/ops.h"
#include "base/text.h"
#include "diff/finders.h"
#include "graph/alias.h"

enum { NOBODY = UINT32_MAX };

/* What was met of the memory of nodes, which a root stands for. Nodes of the old
 * program, plus one. */
struct memory {
    uint32_t parent;
    uint32_t written, touched; /* the last of the old program among those met */
    uint32_t writer;           /* that was met last, of this very node */
    bool changes, told;
};

struct walk {
    struct dg_diffing *diffing;
    struct dg_alias alias;
    struct memory *memories;
    uint32_t first; /* node 0 of the graph, as the model numbers it */
};

static uint32_t root_of(struct memory *memories, uint32_t node)
{
    while (memories[node].parent != node) {
        memories[node].parent = memories[memories[node].parent].parent;
        node = memories[node].parent;
    }
    return node;
}

static bool is_opaque(const struct walk *walk, uint32_t node)
{
    return (walk->alias.effects[node] & DG_EFFECT_OPAQUE) &&
           walk->alias.ops[node] != DG_NOBODY;
}

static void unite(struct walk *walk)
{
    const struct dg_alias *alias = &walk->alias;

    for (uint32_t i = 0; i < alias->graph.n_nodes; i++)
        walk->memories[i] = (struct memory){.parent = i, .writer = NOBODY};
    for (uint32_t i = 0; i < alias->link_of[alias->graph.n_nodes]; i++) {
        uint32_t a = root_of(walk->memories, alias->links[i].node);
        uint32_t b = root_of(walk->memories, alias->links[i].source);

        if (alias->links[i].shares)
            walk->memories[a].parent = b;
    }
    for (uint32_t i = 0; i < alias->link_of[alias->graph.n_nodes]; i++) {
        const struct dg_alias_link *link = &alias->links[i];
        struct memory *memory = &walk->memories[root_of(walk->memories, link->source)];

        memory->changes |= link->writes || is_opaque(walk, link->node);
    }
}

static void tell(struct walk *walk, uint32_t node, uint32_t before)
{
    struct dg_diffing *diffing = walk->diffing;
    const struct dg_diff_side *new = &diffing->sides[1];
    struct dg_text overtaken = new->names->items[diffing->alignment.others[0][before]];
    const struct dg_diff_graph *graph =
        &new->graphs[new->model->nodes[walk->first + node].graph - 1];
    struct dg_difference difference = {
        .kind = DG_DIFF_OP,
        .change = DG_DIFF_CHANGED,
        .method = graph->method,
        .graph = graph->path,
        .module = dg_diff_text(new, new->nodes[walk->first + node].fqn),
        .what = dg_text("order"),
        .name = new->names->items[walk->first + node],
        .node = walk->first + node + 1};

    difference.old =
        dg_format(&diffing->memory, "before %.*s", (int)overtaken.size, overtaken.data);
    difference.new = dg_text("behind it");
    dg_diff_add(diffing->diff, &difference);
}

/* `old` is the node of the old program, plus one. What is read may change its place
 * among what is read. */
static void touch(struct walk *walk, uint32_t node, uint32_t source, bool writes,
                  uint32_t old)
{
    struct memory *memory = &walk->memories[root_of(walk->memories, source)];
    uint32_t last = writes ? memory->touched : memory->written;

    if (!memory->changes)
        return;
    if (last > old && !memory->told) {
        memory->told = true;
        tell(walk, node, last - 1);
    }
    if (old > memory->touched)
        memory->touched = old;
    if (writes && old > memory->written)
        memory->written = old;
}

static void mark_written(struct walk *walk, uint32_t node)
{
    const struct dg_alias *alias = &walk->alias;

    for (uint32_t i = alias->link_of[node]; i < alias->link_of[node + 1]; i++) {
        if (alias->links[i].writes || is_opaque(walk, node))
            walk->memories[alias->links[i].source].writer = node;
    }
}

static void pass(struct walk *walk, uint32_t node)
{
    const struct dg_graph *graph = &walk->alias.graph;
    uint32_t old = walk->diffing->alignment.others[1][walk->first + node];
    unsigned effects = walk->alias.effects[node];
    bool views = (effects & (DG_EFFECT_IS_VIEW | DG_EFFECT_ITEM)) != 0;
    uint32_t last = NOBODY;

    if (old == DG_DIFF_ALONE || walk->alias.ops[node] == DG_NOBODY || views)
        return;
    mark_written(walk, node);
    for (uint32_t i = graph->input_of[node]; i < graph->input_of[node + 1]; i++) {
        uint32_t source = graph->inputs[i];

        if (source != last)
            touch(walk, node, source, walk->memories[source].writer == node, old + 1);
        last = source;
    }
}

/* By graph of the new program, whether something in it may write. */
static bool *changing_graphs(const struct dg_diff_side *side)
{
    const struct dg_model *model = side->model;
    bool *ops = dg_zeroed((size_t)model->n_ops + 1, sizeof(*ops));
    bool *graphs = dg_zeroed(side->n_graphs + 1, sizeof(*graphs));

    for (uint32_t i = 0; i < model->n_ops; i++)
        ops[i + 1] = (model->ops[i].flags & DG_OP_MUTATES) != 0 ||
                     (dg_effect_of(model->ops[i].name) &
                      (DG_EFFECT_WRITE | DG_EFFECT_TURNS | DG_EFFECT_OPAQUE)) != 0;
    for (uint32_t i = 0; i < model->n_nodes; i++) {
        if (side->nodes[i].place && ops[model->nodes[i].op])
            graphs[model->nodes[i].graph] = true;
    }
    free(ops);
    return graphs;
}

/* Nothing can have come before or behind another where all pairs kept their order. */
static bool has_moves(const struct dg_diffing *diffing,
                      const struct dg_model_graph *nodes)
{
    const uint32_t *olds = diffing->alignment.others[1] + nodes->first;
    uint32_t last = 0;

    for (uint32_t i = 0; i < nodes->n_nodes; i++) {
        if (olds[i] == DG_DIFF_ALONE)
            continue;
        if (olds[i] < last)
            return true;
        last = olds[i];
    }
    return false;
}

static enum dg_status walk_graph(struct dg_diffing *diffing, uint32_t graph,
                                 struct dg_error *err)
{
    const struct dg_diff_side *new = &diffing->sides[1];
    struct dg_model_graph nodes = dg_model_graph_at(new->model, graph);
    struct walk walk = {.diffing = diffing, .first = nodes.first};
    enum dg_status status = DG_OK;

    if (!has_moves(diffing, &nodes))
        return DG_OK;
    status = dg_alias_load(&walk.alias, new->store, graph, err);
    if (!status && walk.alias.graph.n_nodes == nodes.n_nodes) {
        walk.memories = dg_zeroed(nodes.n_nodes, sizeof(*walk.memories));
        unite(&walk);
        for (uint32_t i = 0; i < nodes.n_nodes; i++)
            pass(&walk, i);
    }
    free(walk.memories);
    dg_alias_clear(&walk.alias);
    return status;
}

/* What an instruction of a .pte reads is what was written last. */
enum dg_status dg_diff_order(struct dg_diffing *diffing, struct dg_error *err)
{
    enum dg_status status = DG_OK;
    bool *graphs;

    if (diffing->sides[1].is_pte)
        return DG_OK;
    graphs = changing_graphs(&diffing->sides[1]);
    for (uint32_t i = 1; i <= diffing->sides[1].n_graphs && !status; i++) {
        if (graphs[i])
            status = walk_graph(diffing, i, err);
    }
    free(graphs);
    return status;
}
