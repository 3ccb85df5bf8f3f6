/* Neighbouring partitions share what is in both of them anew, as well as can be: a
 * least cut says who is in which (partitioning.md, 5.2). */
#include "partition/two_labels.h"

#include <stdlib.h>

#include "partition/cut.h"

enum { STEPS = 128, MOST_SWEEPS = 8 }; /* for each node and edge */

/* The partitions at `place` and place + 2, and what is not supported before, between
 * and behind them. A member is on the source's side where it goes to the second
 * partition; what is not supported has two vertices: whether it runs behind the first,
 * and behind the second. */
struct pair {
    struct dg_border *border;
    const uint32_t *early, *late; /* where each component can be at all */
    uint32_t place;
    uint32_t *members, n_members;
    uint32_t *vertex_of; /* of each component: of its first vertex; 0: no member */
    /* Values that members read, and by whom. */
    uint32_t *values;
    size_t n_values;
    struct reader {
        uint32_t member, next; /* its vertex; the next reader of the value + 1, or 0 */
    } * readers;
    size_t n_readers;
    uint32_t *readers_of; /* of each value: its last reader + 1, in round round_of */
    uint32_t *round_of;
    uint32_t round;
    struct dg_cut cut;
    int64_t n_steps;
};

static bool is_supported(const struct pair *pair, uint32_t component)
{
    return dg_border_supported(pair->border, component);
}

static bool can_move(const struct pair *pair, uint32_t component)
{
    return is_supported(pair, component) && pair->early[component] <= pair->place &&
           pair->late[component] >= pair->place + 2;
}

static void must(struct pair *pair, uint32_t from, uint32_t to)
{
    dg_cut_add(&pair->cut, from, to, DG_CUT_NEVER);
}

/* Places do not fall along an edge. */
static void add_order(struct pair *pair, uint32_t from, uint32_t to)
{
    uint32_t a = pair->vertex_of[from], b = pair->vertex_of[to];
    bool a_supported = is_supported(pair, from), b_supported = is_supported(pair, to);

    if (a_supported && b_supported) {
        must(pair, a, b);
    } else if (a_supported) {
        must(pair, DG_CUT_SOURCE, b);
        must(pair, a, b + 1);
    } else if (b_supported) {
        must(pair, a, b);
        must(pair, a + 1, DG_CUT_SINK);
    } else {
        must(pair, a, b);
        must(pair, a + 1, b + 1);
    }
}

static void add_member(struct pair *pair, uint32_t component)
{
    uint32_t vertex = pair->vertex_of[component];

    if (!is_supported(pair, component))
        must(pair, vertex + 1, vertex);
    else if (!can_move(pair, component) && pair->border->at[component] == pair->place)
        must(pair, vertex, DG_CUT_SINK);
    else if (!can_move(pair, component))
        must(pair, DG_CUT_SOURCE, vertex);
}

/* One use of a value by a member that is supported. */
static void add_reader(struct pair *pair, uint32_t value, uint32_t member)
{
    struct reader *reader;

    if (pair->round_of[value] != pair->round) {
        pair->round_of[value] = pair->round;
        pair->readers_of[value] = 0;
        *DG_APPEND(pair->values, pair->n_values) = value;
    }
    reader = DG_APPEND(pair->readers, pair->n_readers);
    *reader = (struct reader){member, pair->readers_of[value]};
    pair->readers_of[value] = (uint32_t)pair->n_readers;
}

/* A vertex that is on the source's side if any reader is; or that is only if all are.
 */
static uint32_t join_readers(struct pair *pair, uint32_t value, bool any)
{
    uint32_t vertex = dg_cut_vertex(&pair->cut);

    for (uint32_t r = pair->readers_of[value]; r; r = pair->readers[r - 1].next) {
        if (any)
            must(pair, pair->readers[r - 1].member, vertex);
        else
            must(pair, vertex, pair->readers[r - 1].member);
    }
    return vertex;
}

/* What a value costs depends on where its maker and its readers are: it enters each
 * partition with a reader and without the maker, and leaves that of its maker. */
static void add_value(struct pair *pair, uint32_t value)
{
    const struct dg_border *border = pair->border;
    uint32_t maker = border->component_of[value], n_uses = border->own_users[value];
    int64_t weight = dg_border_value_weight(border, value);
    bool has_others;

    if (!pair->readers_of[value] || !weight)
        return;
    for (uint32_t r = pair->readers_of[value]; r; r = pair->readers[r - 1].next)
        n_uses++;
    has_others =
        n_uses < border->graph->user_of[value + 1] - border->graph->user_of[value];
    if (pair->vertex_of[maker] && is_supported(pair, maker)) {
        dg_cut_add(&pair->cut, join_readers(pair, value, true), pair->vertex_of[maker],
                   has_others ? weight : 2 * weight);
    } else if (pair->readers[pair->readers_of[value] - 1].next) {
        dg_cut_add(&pair->cut, join_readers(pair, value, true), DG_CUT_SINK, weight);
        dg_cut_add(&pair->cut, DG_CUT_SOURCE, join_readers(pair, value, false), weight);
    }
}

static void add_edges(struct pair *pair, uint32_t component)
{
    const struct dg_border *border = pair->border;
    const struct dg_graph *graph = border->graph;

    for (uint32_t m = border->members.begins[component];
         m < border->members.begins[component + 1]; m++) {
        uint32_t node = border->members.items[m];

        for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++) {
            uint32_t other = border->component_of[graph->inputs[k]];

            --pair->n_steps;
            if (other == component)
                continue;
            if (pair->vertex_of[other])
                add_order(pair, other, component);
            if (is_supported(pair, component))
                add_reader(pair, graph->inputs[k], pair->vertex_of[component]);
        }
    }
}

static void add_vertices(struct pair *pair)
{
    for (uint32_t i = 0; i < pair->n_members; i++) {
        uint32_t component = pair->members[i];

        pair->vertex_of[component] = dg_cut_vertex(&pair->cut);
        if (!is_supported(pair, component))
            dg_cut_vertex(&pair->cut);
    }
}

/* Where the cut has a member. */
static uint32_t new_place(const struct pair *pair, uint32_t component)
{
    uint32_t vertex = pair->vertex_of[component], place = pair->place;

    if (is_supported(pair, component))
        return dg_cut_is_source(&pair->cut, vertex) ? place + 2 : place;
    return dg_cut_is_source(&pair->cut, vertex + 1) ? place + 3
           : dg_cut_is_source(&pair->cut, vertex)   ? place + 1
                                                    : place - 1;
}

static int64_t move(struct pair *pair, uint32_t component, uint32_t place)
{
    int64_t change;

    if (place == pair->border->at[component])
        return 0;
    change = dg_border_change(pair->border, component, place);
    dg_border_move(pair->border, component, place);
    return change;
}

/* Supported members go to where the cut has them, if that gains, and the others make
 * room. */
static bool apply(struct pair *pair)
{
    struct dg_border *border = pair->border;
    uint32_t *before = dg_zeroed(pair->n_members, sizeof(*before));
    int64_t change = 0;

    for (uint32_t i = 0; i < pair->n_members; i++) {
        before[i] = border->at[pair->members[i]];
        if (is_supported(pair, pair->members[i]))
            change += move(pair, pair->members[i], new_place(pair, pair->members[i]));
    }
    for (uint32_t i = 0; i < pair->n_members; i++) {
        uint32_t component = pair->members[i];

        if (change >= 0 && is_supported(pair, component))
            move(pair, component, before[i]);
        else if (change < 0 && !is_supported(pair, component))
            border->at[component] = new_place(pair, component);
    }
    free(before);
    return change < 0;
}

static bool cut_pair(struct pair *pair)
{
    bool moved = false;

    dg_cut_begin(&pair->cut);
    pair->round++;
    pair->n_values = pair->n_readers = 0;
    add_vertices(pair);
    for (uint32_t i = 0; i < pair->n_members; i++) {
        add_member(pair, pair->members[i]);
        add_edges(pair, pair->members[i]);
    }
    for (size_t i = 0; i < pair->n_values; i++)
        add_value(pair, pair->values[i]);
    if (dg_cut_find(&pair->cut, &pair->n_steps))
        moved = apply(pair);
    for (uint32_t i = 0; i < pair->n_members; i++)
        pair->vertex_of[pair->members[i]] = 0;
    return moved;
}

/* Those at a place, as it was before this sweep. */
static void add_members(struct pair *pair, const struct dg_csr *at, uint32_t place)
{
    for (uint32_t k = at->begins[place]; k < at->begins[place + 1]; k++)
        pair->members[pair->n_members++] = at->items[k];
}

static void drop_members(struct pair *pair, uint32_t least)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < pair->n_members; i++) {
        if (pair->border->at[pair->members[i]] >= least)
            pair->members[n++] = pair->members[i];
    }
    pair->n_members = n;
}

static bool any_can_move(const struct pair *pair)
{
    for (uint32_t i = 0; i < pair->n_members; i++) {
        if (can_move(pair, pair->members[i]))
            return true;
    }
    return false;
}

/* Each pair of neighbours in turn; who moves to the second one is in the next pair. */
static bool sweep(struct pair *pair, uint32_t end)
{
    uint32_t n = pair->border->condensed->n_components;
    struct dg_arena scratch = {0};
    struct dg_csr at;
    bool moved = false;

    dg_csr_by_key(&at, pair->border->at, n, end + 1, &scratch);
    pair->n_members = 0;
    add_members(pair, &at, 0);
    add_members(pair, &at, 1);
    add_members(pair, &at, 2);
    for (pair->place = 1; pair->place + 2 < end && pair->n_steps > 0;
         pair->place += 2) {
        add_members(pair, &at, pair->place + 2);
        add_members(pair, &at, pair->place + 3);
        if (any_can_move(pair))
            moved = cut_pair(pair) || moved;
        drop_members(pair, pair->place + 1);
    }
    dg_arena_clear(&scratch);
    return moved;
}

void dg_cut_labels(struct dg_border *border, const uint32_t *early,
                   const uint32_t *late, uint32_t end)
{
    uint32_t n = border->condensed->n_components, n_nodes = border->graph->n_nodes;
    struct dg_arena scratch = {0};
    struct pair pair = {
        .border = border,
        .early = early,
        .late = late,
        .members = dg_alloc(&scratch, n, sizeof(uint32_t)),
        .vertex_of = dg_alloc(&scratch, n, sizeof(uint32_t)),
        .readers_of = dg_alloc(&scratch, n_nodes, sizeof(uint32_t)),
        .round_of = dg_alloc(&scratch, n_nodes, sizeof(uint32_t)),
        .n_steps = STEPS * ((int64_t)n_nodes + border->graph->input_of[n_nodes]),
    };

    for (int i = 0; i < MOST_SWEEPS && sweep(&pair, end); i++)
        ;
    free(pair.values);
    free(pair.readers);
    dg_cut_clear(&pair.cut);
    dg_arena_clear(&scratch);
}
