/* Strongly connected components: Tarjan's algorithm with its recursion as a list. */
#include "graph/components.h"

#include "base/arena.h"

enum { DONE = UINT32_MAX };

struct tarjan {
    const uint32_t *out_of, *out;
    uint32_t *number; /* 0: not met; DONE: its component is known */
    uint32_t *low;    /* until then; afterwards the component */
    uint32_t *at;     /* the next edge to follow */
    uint32_t *met; /* from the begin: the path; from `first_waiting` on: what left it,
                      and waits for its component */
    uint32_t n_numbers, n_path, first_waiting, n_vertices, n_components;
};

static void enter(struct tarjan *state, uint32_t vertex)
{
    state->number[vertex] = state->low[vertex] = ++state->n_numbers;
    state->at[vertex] = state->out_of[vertex];
    state->met[state->n_path++] = vertex;
}

static void lower(uint32_t *low, uint32_t other)
{
    if (other < *low)
        *low = other;
}

static void close_component(struct tarjan *state, uint32_t root)
{
    uint32_t first = state->number[root];

    state->met[--state->first_waiting] = root;
    while (state->first_waiting < state->n_vertices &&
           state->number[state->met[state->first_waiting]] >= first) {
        uint32_t member = state->met[state->first_waiting++];

        state->low[member] = state->n_components;
        state->number[member] = DONE;
    }
    state->n_components++;
}

static void leave(struct tarjan *state, uint32_t vertex)
{
    state->n_path--;
    if (state->n_path)
        lower(&state->low[state->met[state->n_path - 1]], state->low[vertex]);
    if (state->low[vertex] == state->number[vertex])
        close_component(state, vertex);
    else
        state->met[--state->first_waiting] = vertex;
}

static void explore(struct tarjan *state, uint32_t start)
{
    enter(state, start);
    while (state->n_path) {
        uint32_t vertex = state->met[state->n_path - 1];
        uint32_t next;

        if (state->at[vertex] == state->out_of[vertex + 1]) {
            leave(state, vertex);
            continue;
        }
        next = state->out[state->at[vertex]++];
        if (!state->number[next])
            enter(state, next);
        else if (state->number[next] != DONE)
            lower(&state->low[vertex], state->number[next]);
    }
}

uint32_t dg_components(uint32_t *component_of, uint32_t n_vertices,
                       const uint32_t *out_of, const uint32_t *out)
{
    struct dg_arena memory = {0};
    struct tarjan state = {
        .out_of = out_of,
        .out = out,
        .number = dg_alloc(&memory, n_vertices, sizeof(uint32_t)),
        .low = component_of,
        .at = dg_alloc(&memory, n_vertices, sizeof(uint32_t)),
        .met = dg_alloc(&memory, n_vertices, sizeof(uint32_t)),
        .first_waiting = n_vertices,
        .n_vertices = n_vertices,
    };

    for (uint32_t v = 0; v < n_vertices; v++) {
        if (!state.number[v])
            explore(&state, v);
    }
    dg_arena_clear(&memory);
    return state.n_components;
}
