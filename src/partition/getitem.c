/* torch's pass over getitems: they belong with what they take an item of. */
#include <stdlib.h>

#include "base/sorted.h"
#include "partition/steps.h"

/* Steps of a pass that goes round by round before the rest is settled at once: less
 * than a second. */
enum { PATIENCE = 1 << 25 };

struct pass {
    const struct dg_graph *graph;
    const uint16_t *marks;
    uint32_t *part_of;
    bool *leads; /* has users, and all are getitems */
    struct dg_arena *memory;
};

static bool is_leader(const struct pass *pass, uint32_t node)
{
    const struct dg_graph *graph = pass->graph;
    uint32_t k = graph->user_of[node];

    while (k < graph->user_of[node + 1] &&
           pass->marks[graph->users[k]] & DG_MARK_GETITEM)
        k++;
    return k > graph->user_of[node] && k == graph->user_of[node + 1];
}

static bool find_leaders(struct pass *pass)
{
    uint32_t n_nodes = pass->graph->n_nodes, node = 0;
    bool any = false;

    while (node < n_nodes && !(pass->marks[node] & DG_MARK_GETITEM))
        node++;
    if (node == n_nodes)
        return false;
    pass->leads = dg_alloc(pass->memory, n_nodes, sizeof(*pass->leads));
    for (node = 0; node < n_nodes; node++)
        any |= pass->leads[node] = is_leader(pass, node);
    return any;
}

static bool has_several_inputs(const struct dg_graph *graph, uint32_t node)
{
    for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++) {
        if (graph->inputs[k] != graph->inputs[graph->input_of[node]])
            return true;
    }
    return false;
}

/* The producer that a getitem with one input follows, or DG_NO_PART. */
static uint32_t only_leader(const struct pass *pass, uint32_t node)
{
    const struct dg_graph *graph = pass->graph;
    uint32_t first = graph->input_of[node];

    if (!(pass->marks[node] & DG_MARK_GETITEM) || first == graph->input_of[node + 1] ||
        !pass->leads[graph->inputs[first]] || has_several_inputs(graph, node))
        return DG_NO_PART;
    return graph->inputs[first];
}

/* Where each node is in the end, into `part_of`. False if a getitem has two leaders in
 * different places: it would change sides in every round. */
static bool settle(const struct pass *pass, uint32_t *part_of)
{
    const struct dg_graph *graph = pass->graph;

    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        bool led = false;

        if (!(pass->marks[node] & DG_MARK_GETITEM))
            continue;
        for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++) {
            uint32_t input = graph->inputs[k];

            if (!pass->leads[input])
                continue;
            if (led && part_of[input] != part_of[node])
                return false;
            part_of[node] = part_of[input];
            led = true;
        }
    }
    return true;
}

/* With one input each, a getitem is last moved one round after its producer. */
static uint32_t find_rounds(const struct pass *pass, uint32_t *round)
{
    uint32_t n_rounds = 0, *part_of = pass->part_of;

    for (uint32_t node = 0; node < pass->graph->n_nodes; node++) {
        uint32_t leader = only_leader(pass, node);

        if (leader == DG_NO_PART)
            continue;
        round[node] =
            round[leader] ? round[leader] + 1 : part_of[node] != part_of[leader];
        part_of[node] = part_of[leader];
        n_rounds = round[node] > n_rounds ? round[node] : n_rounds;
    }
    return n_rounds;
}

/* Sort by round; within one, producers and then their users are in graph order. */
static void list_by_round(struct dg_moves *moves, const struct pass *pass,
                          const uint32_t *round, uint32_t n_rounds)
{
    const struct dg_graph *graph = pass->graph;
    uint32_t *begin = dg_alloc(pass->memory, (size_t)n_rounds + 2, sizeof(*begin));

    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        if (round[node])
            begin[round[node] + 1]++;
    }
    for (uint32_t i = 1; i <= n_rounds; i++)
        begin[i + 1] += begin[i];
    moves->n_nodes = begin[n_rounds + 1];
    moves->nodes = dg_alloc(pass->memory, moves->n_nodes, sizeof(*moves->nodes));
    for (uint32_t k = 0; k < graph->user_of[graph->n_nodes]; k++) {
        uint32_t user = graph->users[k];

        if (round[user] && !moves->moved[user])
            moves->nodes[begin[round[user]]++] = user;
        moves->moved[user] |= round[user] > 0;
    }
}

static void follow_single(struct dg_moves *moves, const struct pass *pass)
{
    uint32_t *round = dg_alloc(pass->memory, pass->graph->n_nodes, sizeof(*round));
    uint32_t n_rounds = find_rounds(pass, round);

    if (!n_rounds)
        return;
    moves->moved = dg_alloc(pass->memory, pass->graph->n_nodes, sizeof(*moves->moved));
    list_by_round(moves, pass, round, n_rounds);
}

struct move {
    uint64_t when;
    uint32_t node, to;
};

struct rounds {
    struct move *due; /* of this round */
    uint32_t n_due, *due_at;
    uint64_t *when, n_moves, n_steps;
};

static void make_due(struct rounds *rounds, uint32_t node, uint32_t to)
{
    uint32_t at = rounds->due_at[node];

    if (at >= rounds->n_due || rounds->due[at].node != node) {
        at = rounds->due_at[node] = rounds->n_due++;
        rounds->due[at].node = node;
    }
    rounds->due[at].to = to;
}

static bool step(struct rounds *rounds, const struct pass *pass)
{
    const struct dg_graph *graph = pass->graph;

    rounds->n_due = 0;
    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        for (uint32_t k = graph->user_of[node];
             pass->leads[node] && k < graph->user_of[node + 1]; k++) {
            if (pass->part_of[graph->users[k]] != pass->part_of[node])
                make_due(rounds, graph->users[k], pass->part_of[node]);
        }
    }
    for (uint32_t i = 0; i < rounds->n_due; i++) {
        pass->part_of[rounds->due[i].node] = rounds->due[i].to;
        rounds->when[rounds->due[i].node] = ++rounds->n_moves;
    }
    rounds->n_steps += graph->n_nodes + graph->n_edges;
    return rounds->n_due > 0;
}

static int earlier(const void *a, const void *b)
{
    const struct move *one = a, *other = b;

    return (one->when > other->when) - (one->when < other->when);
}

static void list_by_time(struct dg_moves *moves, const struct pass *pass,
                         const struct rounds *rounds)
{
    uint32_t n_nodes = pass->graph->n_nodes;
    struct move *list = rounds->due;

    moves->moved = dg_alloc(pass->memory, n_nodes, sizeof(*moves->moved));
    for (uint32_t node = 0; node < n_nodes; node++) {
        moves->moved[node] = rounds->when[node] > 0;
        if (rounds->when[node])
            list[moves->n_nodes++] =
                (struct move){.when = rounds->when[node], .node = node};
    }
    dg_sort(list, moves->n_nodes, sizeof(*list), earlier);
    moves->nodes = dg_alloc(pass->memory, moves->n_nodes, sizeof(*moves->nodes));
    for (size_t i = 0; i < moves->n_nodes; i++)
        moves->nodes[i] = list[i].node;
}

/* With several inputs the last leader that disagrees wins, and a getitem may change
 * sides many times: only going the whole way gives torch's order. */
static void follow_rounds(struct dg_moves *moves, const struct pass *pass,
                          const uint32_t *settled)
{
    uint32_t n_nodes = pass->graph->n_nodes;
    struct rounds rounds = {
        .due = dg_alloc(pass->memory, n_nodes, sizeof(*rounds.due)),
        .due_at = dg_alloc(pass->memory, n_nodes, sizeof(*rounds.due_at)),
        .when = dg_alloc(pass->memory, n_nodes, sizeof(*rounds.when)),
    };

    while (rounds.n_steps < PATIENCE && step(&rounds, pass))
        ;
    for (uint32_t node = 0; node < n_nodes; node++) {
        if (pass->part_of[node] != settled[node])
            rounds.when[node] = ++rounds.n_moves;
        pass->part_of[node] = settled[node];
    }
    list_by_time(moves, pass, &rounds);
}

static bool has_double_leads(const struct pass *pass)
{
    const struct dg_graph *graph = pass->graph;

    for (uint32_t node = 0; node < graph->n_nodes; node++) {
        if (pass->marks[node] & DG_MARK_GETITEM && has_several_inputs(graph, node))
            return true;
    }
    return false;
}

bool dg_follow_producers(struct dg_moves *moves, uint32_t *part_of,
                         struct dg_arena *memory, const struct dg_graph *graph,
                         const uint16_t *marks)
{
    struct pass pass = {
        .graph = graph, .marks = marks, .part_of = part_of, .memory = memory};
    uint32_t *settled;

    *moves = (struct dg_moves){0};
    if (!find_leaders(&pass))
        return true;
    if (!has_double_leads(&pass)) {
        follow_single(moves, &pass);
        return true;
    }
    settled = dg_alloc(memory, graph->n_nodes, sizeof(*settled));
    memcpy(settled, part_of, graph->n_nodes * sizeof(*settled));
    if (settle(&pass, settled)) {
        follow_rounds(moves, &pass, settled);
        return true;
    }
    follow_single(moves, &pass);
    return false;
}
