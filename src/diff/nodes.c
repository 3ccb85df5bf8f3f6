/* What is different between nodes that are the same, and which are alone. */
#include "diff/finders.h"
#include "diff/told.h"

#include <inttypes.h>
#include <stdlib.h>

/* A node of one side, and what is said of each difference of it. */
static struct dg_difference at(const struct dg_diffing *diffing, int side,
                               uint32_t node, enum dg_diff_kind kind)
{
    const struct dg_diff_side *of = &diffing->sides[side];
    const struct dg_diff_graph *graph = &of->graphs[of->model->nodes[node].graph - 1];

    return (struct dg_difference){
        .kind = kind,
        .change = DG_DIFF_CHANGED,
        .method = graph->method,
        .graph = graph->path,
        .module = dg_diff_text(of, of->nodes[node].fqn),
        .name = of->names->items[node],
        .node = side ? node + 1 : 0,
        .old_node = side ? 0 : node + 1,
    };
}

static bool in_both(const struct dg_diffing *diffing, const bool *has[2], int side,
                    uint32_t node)
{
    return has[!side][diffing->sides[side].nodes[node].place];
}

/* Items of a tuple come and go with it. */
static void add_alone(struct dg_diffing *diffing, const bool *has[2], int side,
                      uint32_t node)
{
    const struct dg_diff_side *of = &diffing->sides[side];
    const struct dg_diff_node *it = &of->nodes[node];
    struct dg_difference difference;
    struct dg_text type;

    if (!it->place || !in_both(diffing, has, side, node) || !dg_diff_is_call(of, node))
        return;
    difference = at(diffing, side, node, DG_DIFF_OP);
    difference.change = side ? DG_DIFF_ADDED : DG_DIFF_REMOVED;
    difference.what = dg_diff_text(of, it->op);
    if (!difference.what.size)
        difference.what = dg_text(dg_node_kind_name(it->kind));
    type = dg_diff_text(of, it->type);
    if (type.size && side)
        difference.new = type;
    else if (type.size)
        difference.old = type;
    dg_diff_add(diffing->diff, &difference);
}

/* Whether it is said that the other program lacks it; of an item with its tuple. */
static bool is_told_alone(const struct dg_diffing *diffing, int side, uint32_t node)
{
    const struct dg_diff_side *of = &diffing->sides[side];
    const uint32_t *others = diffing->alignment.others[side];
    const struct dg_csr *makers = &of->makers;

    if (others[node] != DG_DIFF_ALONE)
        return false;
    if (dg_diff_is_call(of, node) || of->nodes[node].kind == DG_NODE_PLACEHOLDER)
        return true;
    if (makers->begins[node] == makers->begins[node + 1])
        return false;
    node = makers->items[makers->begins[node]];
    return others[node] == DG_DIFF_ALONE && dg_diff_is_call(of, node);
}

/* Makers that are another node, though both programs have both; where one of them is
 * new or gone, that says it. */
static bool find_other_maker(const struct dg_diffing *diffing, uint32_t old,
                             uint32_t new, uint32_t makers[2])
{
    const struct dg_csr *a = &diffing->sides[0].makers, *b = &diffing->sides[1].makers;
    uint32_t n = a->begins[old + 1] - a->begins[old];

    if (b->begins[new + 1] - b->begins[new] < n)
        n = b->begins[new + 1] - b->begins[new];
    for (uint32_t i = 0; i < n; i++) {
        makers[0] = a->items[a->begins[old] + i];
        makers[1] = b->items[b->begins[new] + i];
        if (diffing->alignment.others[0][makers[0]] != makers[1] &&
            !is_told_alone(diffing, 0, makers[0]) &&
            !is_told_alone(diffing, 1, makers[1]))
            return true;
    }
    return false;
}

static const char *op_of(const struct dg_diffing *diffing, int side, uint32_t node)
{
    const struct dg_diff_node *it = &diffing->sides[side].nodes[node];
    struct dg_text op = dg_diff_text(&diffing->sides[side], it->op);

    return op.size ? op.data : dg_node_kind_name(it->kind);
}

/* Instructions are named by their numbers, which mean nothing in the other file. */
static struct dg_text name_of(struct dg_diffing *diffing, int side, uint32_t node)
{
    struct dg_text name = diffing->sides[side].names->items[node];

    return diffing->sides[side].is_pte
               ? dg_format(&diffing->memory, "%s %.*s", op_of(diffing, side, node),
                           (int)name.size, name.data ? name.data : "")
               : name;
}

bool dg_diff_reads_other(struct dg_diffing *diffing, uint32_t old, uint32_t new,
                         struct dg_difference *difference)
{
    uint32_t makers[2];

    if (!find_other_maker(diffing, old, new, makers))
        return false;
    difference->what = dg_text("reads");
    difference->old = name_of(diffing, 0, makers[0]);
    difference->new = name_of(diffing, 1, makers[1]);
    if (dg_text_equal(difference->old, difference->new)) {
        difference->old = difference->new = (struct dg_text){0};
        difference->note =
            dg_format(&diffing->memory, "another %s", op_of(diffing, 1, makers[1]));
    }
    return true;
}

static void add_reads(struct dg_diffing *diffing, uint32_t old, uint32_t new)
{
    struct dg_difference difference = at(diffing, 1, new, DG_DIFF_OP);

    if (dg_diff_reads_other(diffing, old, new, &difference) ||
        dg_diff_names_other(diffing, old, new, &difference))
        dg_diff_add(diffing->diff, &difference);
}

static void add_changed(struct dg_diffing *diffing, uint32_t old, uint32_t new)
{
    const struct dg_diff_node *a = &diffing->sides[0].nodes[old];
    const struct dg_diff_node *b = &diffing->sides[1].nodes[new];
    struct dg_difference difference = at(diffing, 1, new, DG_DIFF_OP);
    struct dg_arena memory = {0};
    struct dg_text args[2];

    if (a->kind == DG_NODE_GET_ATTR && b->kind == a->kind) {
        difference.what = dg_text("target");
        difference.old = dg_diff_text(&diffing->sides[0], a->args);
        difference.new = dg_diff_text(&diffing->sides[1], b->args);
    } else if (a->op != b->op) {
        difference.what = dg_text("operator");
        difference.old = dg_diff_text(&diffing->sides[0], a->op);
        difference.new = dg_diff_text(&diffing->sides[1], b->op);
    } else {
        dg_diff_args(args, dg_diff_text(&diffing->sides[0], a->args),
                     dg_diff_text(&diffing->sides[1], b->args), &memory);
        difference.what = dg_text("arguments");
        difference.old = args[0];
        difference.new = args[1];
    }
    dg_diff_add(diffing->diff, &difference);
    dg_arena_clear(&memory);
}

static bool is_told_by_makers(const struct dg_diffing *diffing, uint32_t old,
                              uint32_t new)
{
    const struct dg_diff_side *sides = diffing->sides;
    const struct dg_diff_node *a = &sides[0].nodes[old], *b = &sides[1].nodes[new];

    return a->op == b->op &&
           dg_diff_told_by_makers(diffing, old, new, dg_diff_text(&sides[0], a->args),
                                  dg_diff_text(&sides[1], b->args));
}

static struct dg_text path_of(const struct dg_diff_graph *graph)
{
    return graph->path.size ? graph->path : dg_text("the method's own");
}

/* To another branch, or with its method to a method of another name, which tells of its
 * inputs and outputs. */
static void add_graph(struct dg_diffing *diffing, struct dg_difference *difference,
                      const struct dg_diff_graph *const graphs[2], bool calls)
{
    bool method = !dg_text_equal(graphs[0]->method, graphs[1]->method);

    difference->what = dg_text(method ? "method" : "graph");
    difference->old = method ? graphs[0]->method : path_of(graphs[0]);
    difference->new = method ? graphs[1]->method : path_of(graphs[1]);
    if (calls || !method)
        dg_diff_add(diffing->diff, difference);
}

/* To another graph: between host and delegate, or only to another branch. */
static void add_moved(struct dg_diffing *diffing, uint32_t old, uint32_t new)
{
    const struct dg_diff_graph *graphs[2];
    struct dg_difference difference = at(diffing, 1, new, DG_DIFF_OP);

    for (int s = 0; s < 2; s++) {
        const struct dg_diff_side *of = &diffing->sides[s];

        graphs[s] = &of->graphs[of->model->nodes[s ? new : old].graph - 1];
    }
    if (graphs[0]->lowered == graphs[1]->lowered) {
        add_graph(diffing, &difference, graphs, diffing->sides[1].nodes[new].op);
        return;
    }
    difference.change = DG_DIFF_MOVED;
    difference.what = dg_diff_text(&diffing->sides[1], diffing->sides[1].nodes[new].op);
    difference.old = graphs[0]->lowered ? graphs[0]->path : dg_text("host");
    difference.new = graphs[1]->lowered ? graphs[1]->path : dg_text("host");
    dg_diff_add(diffing->diff, &difference);
}

/* A tuple has no type: its items do. */
static void add_type(struct dg_diffing *diffing, uint32_t old, uint32_t new)
{
    struct dg_difference difference = at(diffing, 1, new, DG_DIFF_VALUE);

    difference.what = dg_text("type");
    difference.old =
        dg_diff_text(&diffing->sides[0], diffing->sides[0].nodes[old].type);
    difference.new =
        dg_diff_text(&diffing->sides[1], diffing->sides[1].nodes[new].type);
    if (difference.old.size && difference.new.size)
        dg_diff_add(diffing->diff, &difference);
}

static void add_name(struct dg_diffing *diffing, uint32_t new, const char *what,
                     struct dg_text from, struct dg_text to)
{
    struct dg_difference difference = at(diffing, 1, new, DG_DIFF_NAME);

    difference.class = DG_DIFF_NAMES;
    difference.what = dg_text(what);
    difference.old = from;
    difference.new = to;
    dg_diff_add(diffing->diff, &difference);
}

/* Inputs are told by the signature and the weights. */
static void add_names(struct dg_diffing *diffing, uint32_t old, uint32_t new)
{
    const struct dg_diff_node *a = &diffing->sides[0].nodes[old];
    const struct dg_diff_node *b = &diffing->sides[1].nodes[new];
    struct dg_text from = dg_diff_base_name(diffing->sides[0].names->items[old]);
    struct dg_text to = dg_diff_base_name(diffing->sides[1].names->items[new]);

    if (!diffing->sides[0].is_pte && a->op == b->op && a->kind != DG_NODE_PLACEHOLDER &&
        !dg_text_equal(from, to))
        add_name(diffing, new, "node", from, to);
    if (a->fqn != b->fqn)
        add_name(diffing, new, "module", dg_diff_text(&diffing->sides[0], a->fqn),
                 dg_diff_text(&diffing->sides[1], b->fqn));
}

/* Inputs are called by their position, or by the weight that they are. Where a name of
 * one is a name of another in the other program, they are exchanged; else one has a new
 * name, which the weights tell. */
static void add_target(struct dg_diffing *diffing, uint32_t old, uint32_t new)
{
    uint32_t names[2] = {diffing->sides[0].nodes[old].name,
                         diffing->sides[1].nodes[new].name};
    struct dg_difference difference = at(diffing, 1, new, DG_DIFF_SIGNATURE);

    if (names[0] == names[1] ||
        (!diffing->inputs[1][names[0]] && !diffing->inputs[0][names[1]]))
        return;
    difference.what = dg_text("is");
    difference.old = dg_diff_text(&diffing->sides[0], names[0]);
    difference.new = dg_diff_text(&diffing->sides[1], names[1]);
    dg_diff_add(diffing->diff, &difference);
}

static void compare(struct dg_diffing *diffing, uint32_t old, uint32_t new)
{
    const struct dg_diff_node *a = &diffing->sides[0].nodes[old];
    const struct dg_diff_node *b = &diffing->sides[1].nodes[new];

    if (a->place != b->place)
        add_moved(diffing, old, new);
    else if (a->op == b->op && a->args == b->args)
        add_reads(diffing, old, new);
    else if (!is_told_by_makers(diffing, old, new))
        add_changed(diffing, old, new);
    if (a->kind == DG_NODE_PLACEHOLDER && b->kind == a->kind)
        add_target(diffing, old, new);
    if (a->type != b->type && a->kind != DG_NODE_PLACEHOLDER)
        add_type(diffing, old, new);
    if (dg_diff_wants(diffing->diff, DG_DIFF_NAMES))
        add_names(diffing, old, new);
}

/* Which differ by something that is said once for each graph. */
struct tally {
    uint32_t *counts, *first; /* of the graph in row i + 1 on the new side */
};

static void count_one(struct tally *tally, uint32_t graph, uint32_t node)
{
    if (!tally->counts[graph - 1]++)
        tally->first[graph - 1] = node;
}

static void add_tally(struct dg_diffing *diffing, const struct tally *tally,
                      enum dg_diff_kind kind, unsigned class, const char *what)
{
    for (size_t i = 0; i < diffing->sides[1].n_graphs; i++) {
        struct dg_difference difference;

        if (!tally->counts[i])
            continue;
        difference = at(diffing, 1, tally->first[i], kind);
        difference.class = class;
        difference.what = dg_text(what);
        difference.module = (struct dg_text){0};
        difference.count = tally->counts[i];
        dg_diff_add(diffing->diff, &difference);
    }
}

static void compare_rest(struct dg_diffing *diffing)
{
    const struct dg_diff_side *old = &diffing->sides[0], *new = &diffing->sides[1];
    size_t n = new->n_graphs;
    struct tally traces = {dg_zeroed(n, 4), dg_zeroed(n, 4)};
    struct tally metas = {dg_zeroed(n, 4), dg_zeroed(n, 4)};

    for (uint32_t i = 0; i < new->n_nodes; i++) {
        uint32_t other = diffing->alignment.others[1][i];
        uint32_t graph = new->model->nodes[i].graph;

        if (other == DG_DIFF_ALONE || !new->nodes[i].place ||
            old->nodes[other].op != new->nodes[i].op)
            continue;
        if (old->nodes[other].trace != new->nodes[i].trace)
            count_one(&traces, graph, i);
        if (old->nodes[other].meta != new->nodes[i].meta)
            count_one(&metas, graph, i);
    }
    add_tally(diffing, &traces, DG_DIFF_SOURCE, DG_DIFF_SOURCES, "stack traces");
    add_tally(diffing, &metas, DG_DIFF_METADATA, DG_DIFF_METADATAS, "nodes");
    free(traces.counts);
    free(traces.first);
    free(metas.counts);
    free(metas.first);
}

/* By word, whether a side has a graph of that place. */
static bool *places_of(const struct dg_diff_side *side)
{
    bool *has = dg_zeroed(side->words->set.n_texts, sizeof(*has));

    for (size_t i = 0; i < side->n_graphs; i++)
        has[side->graphs[i].place] = true;
    return has;
}

static bool *inputs_of(const struct dg_diff_side *side, struct dg_arena *memory)
{
    bool *has = dg_alloc(memory, side->words->set.n_texts, sizeof(*has));

    for (uint32_t i = 0; i < side->n_nodes; i++) {
        if (side->nodes[i].kind == DG_NODE_PLACEHOLDER)
            has[side->nodes[i].name] = true;
    }
    return has;
}

void dg_diff_nodes(struct dg_diffing *diffing)
{
    const struct dg_diff_side *old = &diffing->sides[0], *new = &diffing->sides[1];
    const bool *has[2] = {places_of(old), places_of(new)};

    for (int s = 0; s < 2; s++)
        diffing->inputs[s] = inputs_of(&diffing->sides[s], &diffing->memory);
    for (uint32_t i = 0; i < old->n_nodes; i++) {
        if (diffing->alignment.others[0][i] == DG_DIFF_ALONE)
            add_alone(diffing, has, 0, i);
    }
    for (uint32_t i = 0; i < new->n_nodes; i++) {
        uint32_t other = diffing->alignment.others[1][i];

        if (other == DG_DIFF_ALONE)
            add_alone(diffing, has, 1, i);
        else if (new->nodes[i].place && old->nodes[other].place)
            compare(diffing, other, i);
    }
    compare_rest(diffing);
    free((void *)has[0]);
    free((void *)has[1]);
}
