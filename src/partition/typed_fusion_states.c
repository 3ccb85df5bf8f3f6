/* What has run, and what a group of one type can run behind it. */
#include <stdlib.h>

#include "partition/typed_fusion_parts.h"

void dg_fusion_release(struct dg_fusion_state *state)
{
    while (state && !--state->n_refs) {
        struct dg_fusion_state *before = state->before;

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
static void count(struct dg_fusion_search *search, const uint32_t *ran, uint32_t n_ran,
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
static struct dg_fusion_state *common(struct dg_fusion_state *a,
                                      struct dg_fusion_state *b)
{
    while (a != b) {
        if (!b || (a && a->depth >= b->depth))
            a = a->before;
        else
            b = b->before;
    }
    return a;
}

void dg_fusion_go_to(struct dg_fusion_search *search, struct dg_fusion_state *state)
{
    struct dg_fusion_state *from = common(search->at, state);

    for (struct dg_fusion_state *s = search->at; s != from; s = s->before)
        count(search, s->vertices, s->n_ran, 1);
    for (struct dg_fusion_state *s = state; s != from; s = s->before)
        count(search, s->vertices, s->n_ran, UINT32_MAX);
    search->at = state;
}

bool dg_fusion_is_part(struct dg_fusion_search *search, struct dg_fusion_state *a,
                       struct dg_fusion_state *b)
{
    struct dg_fusion_state *from = common(a, b);

    search->mark++;
    for (struct dg_fusion_state *s = b; s != from; s = s->before) {
        search->n_steps += s->n_ran;
        for (uint32_t i = 0; i < s->n_ran; i++)
            search->marks[s->vertices[i]] = search->mark;
    }
    for (struct dg_fusion_state *s = a; s != from; s = s->before) {
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
static void run(struct dg_fusion_search *search, uint32_t vertex, uint32_t type)
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
uint32_t dg_fusion_run_step(struct dg_fusion_search *search, uint32_t type)
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

static struct dg_fusion_state *new_state(struct dg_fusion_search *search,
                                         struct dg_fusion_state *before, uint32_t type,
                                         uint32_t n_group)
{
    size_t n = (size_t)search->n_ran + search->n_ready;
    struct dg_fusion_state *state =
        malloc(sizeof(*state) + n * sizeof(*state->vertices));

    if (!state)
        dg_out_of_memory();
    *state = (struct dg_fusion_state){.before = before,
                                      .n_refs = 1,
                                      .depth = before ? before->depth + 1 : 0,
                                      .type = type,
                                      .n_group = n_group,
                                      .n_ran = search->n_ran,
                                      .n_ready = search->n_ready,
                                      .n_total = (before ? before->n_total : 0) +
                                                 search->n_ran};
    if (before)
        before->n_refs++;
    if (search->n_ran)
        memcpy(state->vertices, search->ran, search->n_ran * sizeof(*search->ran));
    if (search->n_ready)
        memcpy(state->vertices + search->n_ran, search->ready,
               search->n_ready * sizeof(*search->ready));
    return state;
}

struct dg_fusion_state *dg_fusion_try(struct dg_fusion_search *search, uint32_t type)
{
    struct dg_fusion_state *at = search->at, *state;
    const uint32_t *ready = at->vertices + at->n_ran;

    search->n_ran = search->n_free = search->n_ready = 0;
    search->n_steps += at->n_ready;
    for (uint32_t i = 0; i < at->n_ready; i++) {
        if (may_have(search->graph, ready[i], type))
            search->ran[search->n_ran++] = ready[i];
        else
            search->ready[search->n_ready++] = ready[i];
    }
    state = new_state(search, at, type, dg_fusion_run_step(search, type));
    count(search, state->vertices, state->n_ran, 1);
    return state;
}

struct dg_fusion_state *dg_fusion_begin(struct dg_fusion_search *search)
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
    search->at =
        new_state(search, NULL, DG_NO_PART, dg_fusion_run_step(search, DG_NO_PART));
    search->at->n_group = 0;
    return search->at;
}
