/* The search for few groups: breadth first over what has run, the best states of each
 * number of groups. What has run more is better, and what has run a part of the same is
 * left out. */
#include "partition/typed_fusion.h"

#include <stdlib.h>

enum { BUDGET = 256 }; /* steps for each vertex and edge */

/* What has run after some groups: what had before, and vertices[0] to
 * vertices[n_ran - 1], of which the first n_group are the last group; the others have
 * no type. n_ready more, with types, could run next. */
struct state {
    struct state *before; /* NULL: nothing had run */
    uint32_t n_refs, depth;
    uint32_t type, n_group, n_ran, n_ready;
    uint32_t n_total; /* what has run in all */
    uint32_t vertices[];
};

struct search {
    const struct dg_typed_graph *graph;
    uint32_t *waits_for; /* of each vertex: inputs that have not run in state `at` */
    struct state *at;
    uint32_t *ran, *free_ones, *ready; /* of the step that is tried */
    uint32_t n_ran, n_free, n_ready;
    uint32_t *asked; /* of each type: the last round in which it was tried, plus one */
    uint32_t *marks, mark, round;
    uint64_t n_steps;
};

static void release(struct state *state)
{
    while (state && !--state->n_refs) {
        struct state *before = state->before;

        free(state);
        state = before;
    }
}

static bool may_have(const struct dg_typed_graph *graph, uint32_t vertex, uint32_t type)
{
    uint32_t kind = graph->kind_of[vertex];

    for (uint32_t k = graph->types.begins[kind]; k < graph->types.begins[kind + 1];
         k++) {
        if (graph->types.items[k] == type)
            return true;
    }
    return false;
}

/* Have what ran in one step run, or not: users wait for one vertex less, or more. */
static void count(struct search *search, const uint32_t *ran, uint32_t n_ran,
                  uint32_t change)
{
    const struct dg_typed_graph *graph = search->graph;

    for (uint32_t i = 0; i < n_ran; i++) {
        uint32_t begin = graph->user_of[ran[i]], end = graph->user_of[ran[i] + 1];

        search->n_steps += end - begin + 1;
        for (uint32_t k = begin; k < end; k++)
            search->waits_for[graph->users[k]] += change;
    }
}

/* The state that both come from. */
static struct state *common(struct state *a, struct state *b)
{
    while (a != b) {
        if (!b || (a && a->depth >= b->depth))
            a = a->before;
        else
            b = b->before;
    }
    return a;
}

static void go_to(struct search *search, struct state *state)
{
    struct state *from = common(search->at, state);

    for (struct state *s = search->at; s != from; s = s->before)
        count(search, s->vertices, s->n_ran, 1);
    for (struct state *s = state; s != from; s = s->before)
        count(search, s->vertices, s->n_ran, UINT32_MAX);
    search->at = state;
}

/* Whether all that has run in `a` has run in `b`. */
static bool is_part_of(struct search *search, struct state *a, struct state *b)
{
    struct state *from = common(a, b);

    search->mark++;
    for (struct state *s = b; s != from; s = s->before) {
        search->n_steps += s->n_ran;
        for (uint32_t i = 0; i < s->n_ran; i++)
            search->marks[s->vertices[i]] = search->mark;
    }
    for (struct state *s = a; s != from; s = s->before) {
        search->n_steps += s->n_ran;
        for (uint32_t i = 0; i < s->n_ran; i++) {
            if (search->marks[s->vertices[i]] != search->mark)
                return false;
        }
    }
    return true;
}

/* A vertex runs: who has waited for it alone joins the group of that type, or waits for
 * the next step. */
static void run(struct search *search, uint32_t vertex, uint32_t type)
{
    const struct dg_typed_graph *graph = search->graph;
    uint32_t begin = graph->user_of[vertex], end = graph->user_of[vertex + 1];

    search->n_steps += end - begin + 1;
    for (uint32_t k = begin; k < end; k++) {
        uint32_t user = graph->users[k];

        if (--search->waits_for[user])
            continue;
        if (graph->kind_of[user] == DG_NO_PART)
            search->free_ones[search->n_free++] = user;
        else if (type != DG_NO_PART && may_have(graph, user, type))
            search->ran[search->n_ran++] = user;
        else
            search->ready[search->n_ready++] = user;
    }
}

/* What has no type runs behind the group: who waits for both is in no group with it. */
static uint32_t run_step(struct search *search, uint32_t type)
{
    uint32_t n_group;

    for (uint32_t i = 0; i < search->n_ran; i++)
        run(search, search->ran[i], type);
    n_group = search->n_ran;
    for (uint32_t i = 0; i < search->n_free; i++)
        run(search, search->free_ones[i], DG_NO_PART);
    if (search->n_free)
        memcpy(search->ran + search->n_ran, search->free_ones,
               search->n_free * sizeof(*search->ran));
    search->n_ran += search->n_free;
    return n_group;
}

static struct state *new_state(struct search *search, struct state *before,
                               uint32_t type, uint32_t n_group)
{
    size_t n = (size_t)search->n_ran + search->n_ready;
    struct state *state = malloc(sizeof(*state) + n * sizeof(*state->vertices));

    if (!state)
        dg_out_of_memory();
    *state = (struct state){.before = before,
                            .n_refs = 1,
                            .depth = before ? before->depth + 1 : 0,
                            .type = type,
                            .n_group = n_group,
                            .n_ran = search->n_ran,
                            .n_ready = search->n_ready,
                            .n_total = (before ? before->n_total : 0) + search->n_ran};
    if (before)
        before->n_refs++;
    if (search->n_ran)
        memcpy(state->vertices, search->ran, search->n_ran * sizeof(*search->ran));
    if (search->n_ready)
        memcpy(state->vertices + search->n_ran, search->ready,
               search->n_ready * sizeof(*search->ready));
    return state;
}

/* One group of that type behind `search->at`, as large as it can be. */
static struct state *try_type(struct search *search, uint32_t type)
{
    struct state *at = search->at, *state;
    const uint32_t *ready = at->vertices + at->n_ran;

    search->n_ran = search->n_free = search->n_ready = 0;
    search->n_steps += at->n_ready;
    for (uint32_t i = 0; i < at->n_ready; i++) {
        if (may_have(search->graph, ready[i], type))
            search->ran[search->n_ran++] = ready[i];
        else
            search->ready[search->n_ready++] = ready[i];
    }
    state = new_state(search, at, type, run_step(search, type));
    count(search, state->vertices, state->n_ran, 1);
    return state;
}

/* Before the first group: what has no type and waits for nothing typed. */
static struct state *begin(struct search *search)
{
    const struct dg_typed_graph *graph = search->graph;

    for (uint32_t k = 0; k < graph->user_of[graph->n_vertices]; k++)
        search->waits_for[graph->users[k]]++;
    for (uint32_t v = 0; v < graph->n_vertices; v++) {
        if (search->waits_for[v])
            continue;
        if (graph->kind_of[v] == DG_NO_PART)
            search->free_ones[search->n_free++] = v;
        else
            search->ready[search->n_ready++] = v;
    }
    search->at = new_state(search, NULL, DG_NO_PART, run_step(search, DG_NO_PART));
    search->at->n_group = 0;
    return search->at;
}

struct beam {
    struct state *states[DG_BEAM + 1]; /* the best is the first */
    uint32_t n, width;
};

static void drop(struct beam *beam, uint32_t i)
{
    release(beam->states[i]);
    beam->n--;
    memmove(&beam->states[i], &beam->states[i + 1],
            (beam->n - i) * sizeof(*beam->states));
}

/* Whether nothing in the beam has run all that this has; what has run less of it goes.
 */
static bool is_new(struct search *search, struct beam *beam, struct state *state)
{
    uint32_t i = 0;

    while (i < beam->n) {
        struct state *other = beam->states[i];
        bool more = other->n_total >= state->n_total;

        if (more && is_part_of(search, state, other))
            return false;
        if (!more && is_part_of(search, other, state))
            drop(beam, i);
        else
            i++;
    }
    return true;
}

/* The beam has the state from here on. */
static void consider(struct search *search, struct beam *beam, struct state *state)
{
    uint32_t i;

    if ((beam->n == beam->width &&
         state->n_total <= beam->states[beam->n - 1]->n_total) ||
        !is_new(search, beam, state)) {
        release(state);
        return;
    }
    for (i = beam->n++; i && beam->states[i - 1]->n_total < state->n_total; i--)
        beam->states[i] = beam->states[i - 1];
    beam->states[i] = state;
    if (beam->n > beam->width)
        drop(beam, beam->n - 1);
}

/* Whether there is no more than one way to go on with. */
static bool is_late(const struct search *search)
{
    const struct dg_typed_graph *graph = search->graph;

    return search->n_steps / BUDGET >
           (uint64_t)graph->n_vertices + graph->user_of[graph->n_vertices];
}

/* Every type that a ready vertex may have, each once. */
static void try_types(struct search *search, struct beam *next)
{
    const struct dg_typed_graph *graph = search->graph;
    const struct state *at = search->at;

    search->round++;
    for (uint32_t i = 0; i < at->n_ready; i++) {
        uint32_t kind = graph->kind_of[at->vertices[at->n_ran + i]];

        for (uint32_t k = graph->types.begins[kind]; k < graph->types.begins[kind + 1];
             k++) {
            uint32_t type = graph->types.items[k];

            if (search->asked[type] == search->round || (next->n && is_late(search)))
                continue;
            search->asked[type] = search->round;
            consider(search, next, try_type(search, type));
        }
    }
}

static void advance(struct search *search, struct beam *beam)
{
    struct beam next = {.width = beam->width};

    for (uint32_t i = 0; i < beam->n; i++) {
        go_to(search, beam->states[i]);
        try_types(search, &next);
    }
    /* Its way from what is let go is through that. */
    go_to(search, next.states[0]);
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

static void note_states(struct dg_typed_groups *out, const struct state *state)
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

static void add_ready(const struct search *search, struct turns *turns)
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
static void finish(struct search *search, struct dg_typed_groups *out)
{
    const struct dg_typed_graph *graph = search->graph;
    struct state *at = search->at;
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
        n_group = run_step(search, type);
        note_group(out, out->n_groups++, type, search->ran, n_group);
        add_ready(search, &turns);
    }
    free(turns.next);
    free(turns.first);
    free(turns.types);
}

static void open_search(struct search *search, const struct dg_typed_graph *graph,
                        struct dg_arena *memory)
{
    size_t n = graph->n_vertices;

    *search = (struct search){
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
    struct search search;
    struct beam beam = {.n = 1, .width = width < DG_BEAM ? width : DG_BEAM};

    out->type_of = dg_alloc(memory, graph->n_vertices, sizeof(uint32_t));
    out->group_of = dg_alloc(memory, graph->n_vertices, sizeof(uint32_t));
    for (uint32_t v = 0; v < graph->n_vertices; v++)
        out->group_of[v] = DG_NO_PART;
    open_search(&search, graph, &scratch);
    beam.states[0] = begin(&search);
    while (beam.states[0]->n_total < graph->n_vertices && !is_late(&search))
        advance(&search, &beam);
    go_to(&search, beam.states[0]);
    note_states(out, beam.states[0]);
    if (beam.states[0]->n_total < graph->n_vertices)
        finish(&search, out);
    while (beam.n)
        drop(&beam, beam.n - 1);
    dg_arena_clear(&scratch);
}
