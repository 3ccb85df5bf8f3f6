/* Strongly connected components: Tarjan's algorithm with its recursion as a list. */
#include "graph/components.h"

#include "base/arena.h"

struct tarjan {
    const uint32_t *out_of, *out;
    uint32_t *component_of;
    uint32_t *number, *low, *at, *path, *stack;
    uint32_t n_numbers, n_path, n_stack, n_components;
};

static void enter(struct tarjan *state, uint32_t vertex)
{
    state->number[vertex] = state->low[vertex] = ++state->n_numbers;
    state->at[vertex] = state->out_of[vertex];
    state->path[state->n_path++] = vertex;
    state->stack[state->n_stack++] = vertex;
}

static void lower(uint32_t *low, uint32_t other)
{
    if (other < *low)
        *low = other;
}

static void leave(struct tarjan *state, uint32_t vertex)
{
    uint32_t member;

    state->n_path--;
    if (state->n_path)
        lower(&state->low[state->path[state->n_path - 1]], state->low[vertex]);
    if (state->low[vertex] != state->number[vertex])
        return;
    do {
        member = state->stack[--state->n_stack];
        state->component_of[member] = state->n_components;
    } while (member != vertex);
    state->n_components++;
}

static void explore(struct tarjan *state, uint32_t start)
{
    enter(state, start);
    while (state->n_path) {
        uint32_t vertex = state->path[state->n_path - 1];
        uint32_t next;

        if (state->at[vertex] == state->out_of[vertex + 1]) {
            leave(state, vertex);
            continue;
        }
        next = state->out[state->at[vertex]++];
        if (!state->number[next])
            enter(state, next);
        else if (state->component_of[next] == UINT32_MAX)
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
        .component_of = component_of,
        .number = dg_alloc(&memory, n_vertices, sizeof(uint32_t)),
        .low = dg_alloc(&memory, n_vertices, sizeof(uint32_t)),
        .at = dg_alloc(&memory, n_vertices, sizeof(uint32_t)),
        .path = dg_alloc(&memory, n_vertices, sizeof(uint32_t)),
        .stack = dg_alloc(&memory, n_vertices, sizeof(uint32_t)),
    };

    for (uint32_t v = 0; v < n_vertices; v++)
        component_of[v] = UINT32_MAX;
    for (uint32_t v = 0; v < n_vertices; v++) {
        if (!state.number[v])
            explore(&state, v);
    }
    dg_arena_clear(&memory);
    return state.n_components;
}
