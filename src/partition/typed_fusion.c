/* The search for few groups: breadth first over what has run, the best states of each
 * number of groups. What has run more is better, and what has run a part of the same is
 * left out. */
#include <stdlib.h>

#include "partition/typed_fusion_parts.h"

enum { BUDGET = 256 }; /* steps for each vertex and edge */

struct beam {
    struct dg_fusion_state *states[DG_BEAM + 1]; /* the best is the first */
    uint32_t n, width;
};

static void drop(struct beam *beam, uint32_t i)
{
    dg_fusion_release(beam->states[i]);
    beam->n--;
    memmove(&beam->states[i], &beam->states[i + 1],
            (beam->n - i) * sizeof(*beam->states));
}

/* Whether nothing in the beam has run all that this has; what has run less of it goes.
 */
static bool is_new(struct dg_fusion_search *search, struct beam *beam,
                   struct dg_fusion_state *state)
{
    uint32_t i = 0;

    while (i < beam->n) {
        struct dg_fusion_state *other = beam->states[i];
        bool more = other->n_total >= state->n_total;

        if (more && dg_fusion_is_part(search, state, other))
            return false;
        if (!more && dg_fusion_is_part(search, other, state))
            drop(beam, i);
        else
            i++;
    }
    return true;
}

/* The beam has the state from here on. */
static void consider(struct dg_fusion_search *search, struct beam *beam,
                     struct dg_fusion_state *state)
{
    uint32_t i;

    if ((beam->n == beam->width &&
         state->n_total <= beam->states[beam->n - 1]->n_total) ||
        !is_new(search, beam, state)) {
        dg_fusion_release(state);
        return;
    }
    for (i = beam->n++; i && beam->states[i - 1]->n_total < state->n_total; i--)
        beam->states[i] = beam->states[i - 1];
    beam->states[i] = state;
    if (beam->n > beam->width)
        drop(beam, beam->n - 1);
}

/* Whether there is no more than one way to go on with. */
static bool is_late(const struct dg_fusion_search *search)
{
    const struct dg_typed_graph *graph = search->graph;

    return search->n_steps / BUDGET >
           (uint64_t)graph->n_vertices + graph->user_of[graph->n_vertices];
}

/* Every type that a ready vertex may have, each once. */
static void try_types(struct dg_fusion_search *search, struct beam *next)
{
    const struct dg_typed_graph *graph = search->graph;
    const struct dg_fusion_state *at = search->at;

    search->round++;
    for (uint32_t i = 0; i < at->n_ready; i++) {
        uint32_t kind = graph->kind_of[at->vertices[at->n_ran + i]];

        for (uint32_t k = graph->types.begins[kind]; k < graph->types.begins[kind + 1];
             k++) {
            uint32_t type = graph->types.items[k];

            if (search->asked[type] == search->round || (next->n && is_late(search)))
                continue;
            search->asked[type] = search->round;
            consider(search, next, dg_fusion_try(search, type));
        }
    }
}

static void advance(struct dg_fusion_search *search, struct beam *beam)
{
    struct beam next = {.width = beam->width};

    for (uint32_t i = 0; i < beam->n; i++) {
        dg_fusion_go_to(search, beam->states[i]);
        try_types(search, &next);
    }
    /* Its way from what is let go is through that. */
    dg_fusion_go_to(search, next.states[0]);
    while (beam->n)
        drop(beam, beam->n - 1);
    *beam = next;
}

static void note_group(struct dg_typed_groups *out, uint32_t group, uint32_t type,
                       const uint32_t *vertices, uint32_t n)
{
    out->type_of[group] = type;
    for (uint32_t i = 0; i < n; i++)
        out->group_of[vertices[i]] = group;
}

static void note_states(struct dg_typed_groups *out,
                        const struct dg_fusion_state *state)
{
    out->n_groups = state->depth;
    for (; state->before; state = state->before)
        note_group(out, state->depth - 1, state->type, state->vertices, state->n_group);
}

/* What is ready, by the first type that each may have; types in the order in which they
 * came to have something. */
struct turns {
    uint32_t *next, *first; /* of each vertex and type: a vertex + 1, or 0 */
    uint32_t *types, n_types, n_taken;
};

static void add_ready(const struct dg_fusion_search *search, struct turns *turns)
{
    const struct dg_typed_graph *graph = search->graph;

    for (uint32_t i = 0; i < search->n_ready; i++) {
        uint32_t vertex = search->ready[i];
        uint32_t type = graph->types.items[graph->types.begins[graph->kind_of[vertex]]];

        if (!turns->first[type])
            turns->types[turns->n_types++ % graph->n_types] = type;
        turns->next[vertex] = turns->first[type];
        turns->first[type] = vertex + 1;
    }
}

/* One type after another, without a choice: O(vertices + edges). */
static void finish(struct dg_fusion_search *search, struct dg_typed_groups *out)
{
    const struct dg_typed_graph *graph = search->graph;
    struct dg_fusion_state *at = search->at;
    struct turns turns = {
        .next = dg_zeroed(graph->n_vertices, sizeof(uint32_t)),
        .first = dg_zeroed(graph->n_types, sizeof(uint32_t)),
        .types = dg_zeroed(graph->n_types, sizeof(uint32_t)),
    };

    search->n_ready = at->n_ready;
    if (at->n_ready)
        memcpy(search->ready, at->vertices + at->n_ran,
               at->n_ready * sizeof(*search->ready));
    add_ready(search, &turns);
    while (turns.n_taken < turns.n_types) {
        uint32_t type = turns.types[turns.n_taken++ % graph->n_types], n_group;

        search->n_ran = search->n_free = search->n_ready = 0;
        for (; turns.first[type]; turns.first[type] = turns.next[turns.first[type] - 1])
            search->ran[search->n_ran++] = turns.first[type] - 1;
        n_group = dg_fusion_run_step(search, type);
        note_group(out, out->n_groups++, type, search->ran, n_group);
        add_ready(search, &turns);
    }
    free(turns.next);
    free(turns.first);
    free(turns.types);
}

static void open_search(struct dg_fusion_search *search,
                        const struct dg_typed_graph *graph, struct dg_arena *memory)
{
    size_t n = graph->n_vertices;

    *search = (struct dg_fusion_search){
        .graph = graph,
        .waits_for = dg_alloc(memory, n, sizeof(uint32_t)),
        .ran = dg_alloc(memory, n, sizeof(uint32_t)),
        .free_ones = dg_alloc(memory, n, sizeof(uint32_t)),
        .ready = dg_alloc(memory, n, sizeof(uint32_t)),
        .asked = dg_alloc(memory, graph->n_types, sizeof(uint32_t)),
        .marks = dg_alloc(memory, n, sizeof(uint32_t)),
    };
}

void dg_fuse_types(struct dg_typed_groups *out, const struct dg_typed_graph *graph,
                   uint32_t width, struct dg_arena *memory)
{
    struct dg_arena scratch = {0};
    struct dg_fusion_search search;
    struct beam beam = {.n = 1, .width = width < DG_BEAM ? width : DG_BEAM};

    out->type_of = dg_alloc(memory, graph->n_vertices, sizeof(uint32_t));
    out->group_of = dg_alloc(memory, graph->n_vertices, sizeof(uint32_t));
    for (uint32_t v = 0; v < graph->n_vertices; v++)
        out->group_of[v] = DG_NO_PART;
    open_search(&search, graph, &scratch);
    beam.states[0] = dg_fusion_begin(&search);
    while (beam.states[0]->n_total < graph->n_vertices && !is_late(&search))
        advance(&search, &beam);
    dg_fusion_go_to(&search, beam.states[0]);
    note_states(out, beam.states[0]);
    if (beam.states[0]->n_total < graph->n_vertices)
        finish(&search, out);
    while (beam.n)
        drop(&beam, beam.n - 1);
    dg_arena_clear(&scratch);
}
