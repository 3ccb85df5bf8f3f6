/* As few partitions as there can be, with little on their borders. */
#include "partition/border.h"
#include "partition/steps.h"
#include "partition/two_labels.h"

enum { MOST_SWEEPS = 16, MOST_TRIES = 12 };

struct window {
    uint32_t least, most;
};

/* Between what a component reads and who reads it; partitions are at odd places, what
 * is not supported at even ones. */
static struct window window_of(const struct dg_border *border, uint32_t component,
                               uint32_t end)
{
    const struct dg_graph *graph = border->graph;
    uint32_t odd = dg_border_supported(border, component);
    struct window window = {0, end};

    for (uint32_t m = border->members.begins[component];
         m < border->members.begins[component + 1]; m++) {
        uint32_t node = border->members.items[m];

        for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++) {
            uint32_t other = border->component_of[graph->inputs[k]];

            if (other != component && border->at[other] > window.least)
                window.least = border->at[other];
        }
        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            uint32_t other = border->component_of[graph->users[k]];

            if (other != component && border->at[other] < window.most)
                window.most = border->at[other];
        }
    }
    window.least += (window.least & 1) != odd;
    window.most -= (window.most & 1) != odd;
    return window;
}

/* Places worth a try: few of them, each once. */
struct tries {
    struct window window;
    uint32_t places[MOST_TRIES];
    int n;
};

static void add_try(struct tries *tries, uint32_t place)
{
    if (!(place & 1) || place < tries->window.least || place > tries->window.most)
        return;
    for (int i = 0; i < tries->n; i++) {
        if (tries->places[i] == place)
            return;
    }
    if (tries->n < MOST_TRIES)
        tries->places[tries->n++] = place;
}

/* Where the others are that it exchanges values with, and as far as it can go. */
static void find_tries(struct tries *tries, const struct dg_border *border,
                       uint32_t component)
{
    const struct dg_graph *graph = border->graph;

    add_try(tries, tries->window.least);
    add_try(tries, tries->window.most);
    for (uint32_t m = border->members.begins[component];
         m < border->members.begins[component + 1] && tries->n < MOST_TRIES; m++) {
        uint32_t node = border->members.items[m];

        for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++)
            add_try(tries, border->at[border->component_of[graph->inputs[k]]]);
        for (uint32_t k = graph->user_of[node];
             k < graph->user_of[node + 1] && tries->n < MOST_TRIES; k++)
            add_try(tries, border->at[border->component_of[graph->users[k]]]);
    }
}

/* Whether it is better elsewhere; then it is there. */
static bool improve(struct dg_border *border, uint32_t component, uint32_t end)
{
    struct tries tries = {.window = window_of(border, component, end)};
    uint32_t best = border->at[component];
    int64_t gain = 0;

    if (tries.window.least == tries.window.most)
        return false;
    find_tries(&tries, border, component);
    for (int i = 0; i < tries.n; i++) {
        int64_t change = tries.places[i] == border->at[component]
                             ? 0
                             : dg_border_change(border, component, tries.places[i]);

        if (change < gain) {
            gain = change;
            best = tries.places[i];
        }
    }
    if (gain < 0)
        dg_border_move(border, component, best);
    return gain < 0;
}

/* What is not supported makes room: towards the beginning for who reads it, or towards
 * the end for what it reads. Components with high numbers come first. */
static bool sweep(struct dg_border *border, bool forwards, uint32_t end)
{
    uint32_t n = border->condensed->n_components;
    bool moved = false;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t component = forwards ? n - 1 - i : i;
        struct window window;

        if (dg_border_supported(border, component)) {
            moved = improve(border, component, end) || moved;
            continue;
        }
        window = window_of(border, component, end);
        border->at[component] = forwards ? window.least : window.most;
    }
    return moved;
}

/* Where each component can be at all. */
struct bounds {
    uint32_t *early, *late, end;
};

/* From the places in `at`, which become better ones. */
static int64_t descend(uint32_t *at, const struct dg_condensed *condensed,
                       const uint32_t *component_of, const int64_t *weights,
                       const struct bounds *bounds)
{
    struct dg_border border;
    int n_still = 0;
    int64_t weight;

    dg_border_open(&border, condensed, component_of, weights, at);
    for (int i = 0; i < MOST_SWEEPS && n_still < 2; i++)
        n_still = sweep(&border, !(i & 1), bounds->end) ? 0 : n_still + 1;
    dg_cut_labels(&border, bounds->early, bounds->late, bounds->end);
    weight = dg_border_weight(&border);
    if (condensed->n_components)
        memcpy(at, border.at, condensed->n_components * sizeof(*at));
    dg_border_clear(&border);
    return weight;
}

/* As late as possible, where torch has them, and as early as possible. */
static void place_late(uint32_t *at, const uint32_t *height, uint32_t n, uint32_t end)
{
    for (uint32_t c = 0; c < n; c++)
        at[c] = end - height[c];
}

static void place_early(uint32_t *at, const struct dg_condensed *condensed,
                        const uint32_t *component_of)
{
    const struct dg_graph *graph = condensed->graph;
    struct dg_arena memory = {0};
    struct dg_csr members;

    dg_csr_by_key(&members, component_of, graph->n_nodes, condensed->n_components,
                  &memory);
    for (uint32_t c = condensed->n_components; c-- > 0;) {
        uint32_t least = 0;

        for (uint32_t m = members.begins[c]; m < members.begins[c + 1]; m++) {
            uint32_t node = members.items[m];

            for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1];
                 k++) {
                uint32_t other = component_of[graph->inputs[k]];

                if (other != c && at[other] > least)
                    least = at[other];
            }
        }
        at[c] = least + ((least & 1) == condensed->unsupported[c]);
    }
    dg_arena_clear(&memory);
}

/* The place behind the last partition. */
static uint32_t find_end(const struct dg_condensed *condensed, const uint32_t *height)
{
    uint32_t most = 0;

    for (uint32_t c = 0; c < condensed->n_components; c++)
        most = height[c] > most ? height[c] : most;
    return (most + 1) & ~(uint32_t)1;
}

static uint32_t *copy_of(const uint32_t *at, uint32_t n, struct dg_arena *memory)
{
    uint32_t *copy = dg_alloc(memory, n, sizeof(*copy));

    if (n)
        memcpy(copy, at, n * sizeof(*copy));
    return copy;
}

void dg_partition_min(struct dg_partitions *out, const struct dg_graph *graph,
                      const uint16_t *marks, const int64_t *weights, bool no_single)
{
    struct dg_arena scratch = {0};
    struct dg_condensed condensed;
    struct bounds bounds;
    uint32_t *component_of, *height, *at, *early, n;

    *out = (struct dg_partitions){0};
    dg_condense(&condensed, graph, marks, NULL, &scratch);
    n = condensed.n_components;
    component_of = dg_components_of_nodes(&condensed, &scratch);
    height = dg_component_heights(&condensed, component_of, &scratch);
    bounds.end = find_end(&condensed, height);
    bounds.late = dg_alloc(&scratch, n, sizeof(uint32_t));
    bounds.early = dg_alloc(&scratch, n, sizeof(uint32_t));
    place_late(bounds.late, height, n, bounds.end);
    place_early(bounds.early, &condensed, component_of);
    at = copy_of(bounds.late, n, &scratch);
    early = copy_of(bounds.early, n, &scratch);
    if (descend(early, &condensed, component_of, weights, &bounds) <
        descend(at, &condensed, component_of, weights, &bounds))
        at = early;
    out->part_of = dg_alloc(&out->memory, graph->n_nodes, sizeof(*out->part_of));
    for (uint32_t node = 0; node < graph->n_nodes; node++)
        out->part_of[node] = bounds.end - at[component_of[node]];
    dg_finish_levels(out, graph, marks, no_single);
    dg_arena_clear(&scratch);
}
