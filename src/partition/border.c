/* Counts of who reads what where. */
#include "partition/border.h"

#include <stdlib.h>

static uint32_t place_of(const struct dg_border *border, uint32_t node)
{
    return border->at[border->component_of[node]];
}

static bool is_supported(const struct dg_border *border, uint32_t node)
{
    return dg_border_supported(border, border->component_of[node]);
}

int64_t dg_border_value_weight(const struct dg_border *border, uint32_t value)
{
    if (border->marks[value] & DG_MARK_CONSTANT)
        return 0;
    return border->weights ? border->weights[value] : 1;
}

static uint64_t key_of(uint32_t value, uint32_t place)
{
    return (uint64_t)value << 32 | place;
}

/* Uses of a value by what is at a place. */
static uint32_t uses_at(const struct dg_border *border, uint32_t value, uint32_t place)
{
    uint32_t key = dg_int_set_find(&border->keys, key_of(value, place));

    return key == DG_NO_NUMBER ? 0 : border->n_uses[key];
}

static void add_uses(struct dg_border *border, uint32_t value, uint32_t place,
                     int32_t n)
{
    uint32_t key = dg_int_set_add(&border->keys, key_of(value, place));
    bool before, after;

    if (key == border->n_keys)
        DG_APPEND(border->n_uses, border->n_keys);
    before = border->n_uses[key] > 0;
    border->n_uses[key] += (uint32_t)n;
    after = border->n_uses[key] > 0;
    border->n_places[value] += (uint32_t)(after - before);
}

/* `newest` has of each value its latest use, + 1: if that is of this component, too, it
 * is the same one. */
static void add_use(struct dg_border *border, uint32_t *newest, uint32_t component,
                    uint32_t value, uint32_t *n)
{
    if (border->component_of[value] == component)
        return;
    if (newest[value] <= border->use_of[component]) {
        border->uses[*n].value = value;
        newest[value] = ++*n;
    }
    border->uses[newest[value] - 1].n++;
}

/* What each component reads of others, each value once. */
static void find_uses(struct dg_border *border)
{
    const struct dg_graph *graph = border->graph;
    uint32_t n_components = border->condensed->n_components, n = 0;
    uint32_t *newest = dg_zeroed(graph->n_nodes, sizeof(*newest));

    border->use_of =
        dg_alloc(&border->memory, (size_t)n_components + 1, sizeof(*border->use_of));
    border->uses = dg_alloc(&border->memory, graph->input_of[graph->n_nodes],
                            sizeof(*border->uses));
    for (uint32_t c = 0; c < n_components; c++) {
        border->use_of[c] = n;
        for (uint32_t m = border->members.begins[c]; m < border->members.begins[c + 1];
             m++) {
            uint32_t node = border->members.items[m];

            for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++)
                add_use(border, newest, c, graph->inputs[k], &n);
        }
    }
    border->use_of[n_components] = n;
    free(newest);
}

void dg_border_open(struct dg_border *border, const struct dg_condensed *condensed,
                    const uint32_t *component_of, const int64_t *weights,
                    const uint32_t *at)
{
    const struct dg_graph *graph = condensed->graph;
    uint32_t n = graph->n_nodes;

    *border = (struct dg_border){.graph = graph,
                                 .marks = condensed->marks,
                                 .weights = weights,
                                 .condensed = condensed,
                                 .component_of = component_of};
    dg_csr_by_key(&border->members, component_of, n, condensed->n_components,
                  &border->memory);
    border->at =
        dg_alloc(&border->memory, condensed->n_components, sizeof(*border->at));
    if (condensed->n_components)
        memcpy(border->at, at, condensed->n_components * sizeof(*at));
    find_uses(border);
    border->own_users = dg_alloc(&border->memory, n, sizeof(uint32_t));
    border->n_places = dg_alloc(&border->memory, n, sizeof(uint32_t));
    for (uint32_t value = 0; value < n; value++) {
        for (uint32_t k = graph->user_of[value]; k < graph->user_of[value + 1]; k++) {
            uint32_t user = graph->users[k];

            border->own_users[value] += component_of[user] == component_of[value];
            if (is_supported(border, user))
                add_uses(border, value, place_of(border, user), 1);
        }
    }
}

void dg_border_clear(struct dg_border *border)
{
    dg_int_set_clear(&border->keys);
    free(border->n_uses);
    dg_arena_clear(&border->memory);
    *border = (struct dg_border){0};
}

static uint32_t n_users(const struct dg_border *border, uint32_t value)
{
    return border->graph->user_of[value + 1] - border->graph->user_of[value];
}

/* What a value of a component costs where that is at `place`, users within it aside:
 * each other partition that reads it, and leaving its own. */
static int64_t cost_of_result(const struct dg_border *border, uint32_t value,
                              uint32_t place)
{
    uint32_t now = place_of(border, value), own = border->own_users[value];
    uint32_t others = n_users(border, value) - own;
    uint32_t at_now = uses_at(border, value, now);
    uint32_t here = place == now ? at_now - own : uses_at(border, value, place);
    uint32_t n = border->n_places[value] - (at_now > 0 && at_now == own);

    return dg_border_value_weight(border, value) *
           ((int64_t)n - (here > 0) + (others > here ? 1 : 0));
}

/* What a value costs because the component, which is the user of `n` of its uses, is at
 * `place`: entering it, and leaving its maker. */
static int64_t cost_of_use(const struct dg_border *border, uint32_t component,
                           uint32_t value, uint32_t n, uint32_t place)
{
    uint32_t maker = place_of(border, value);
    uint32_t now = border->at[component];
    uint32_t others = uses_at(border, value, place) - (place == now ? n : 0);
    bool is_made = is_supported(border, value);
    int64_t cost = (!is_made || place != maker) && !others;
    uint32_t at_maker;

    if (is_made) {
        at_maker = uses_at(border, value, maker) - (maker == now ? n : 0) +
                   (maker == place ? n : 0);
        cost += n_users(border, value) > at_maker;
    }
    return dg_border_value_weight(border, value) * cost;
}

static int64_t cost_at(const struct dg_border *border, uint32_t component,
                       uint32_t place)
{
    int64_t cost = 0;

    for (uint32_t i = border->use_of[component]; i < border->use_of[component + 1]; i++)
        cost += cost_of_use(border, component, border->uses[i].value, border->uses[i].n,
                            place);
    for (uint32_t m = border->members.begins[component];
         m < border->members.begins[component + 1]; m++)
        cost += cost_of_result(border, border->members.items[m], place);
    return cost;
}

int64_t dg_border_change(const struct dg_border *border, uint32_t component,
                         uint32_t place)
{
    return cost_at(border, component, place) -
           cost_at(border, component, border->at[component]);
}

void dg_border_move(struct dg_border *border, uint32_t component, uint32_t place)
{
    const struct dg_graph *graph = border->graph;
    uint32_t now = border->at[component];

    for (uint32_t m = border->members.begins[component];
         m < border->members.begins[component + 1]; m++) {
        uint32_t node = border->members.items[m];

        for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++) {
            add_uses(border, graph->inputs[k], now, -1);
            add_uses(border, graph->inputs[k], place, 1);
        }
    }
    border->at[component] = place;
}

int64_t dg_border_weight(const struct dg_border *border)
{
    int64_t sum = 0;

    for (uint32_t value = 0; value < border->graph->n_nodes; value++) {
        uint32_t here = is_supported(border, value)
                            ? uses_at(border, value, place_of(border, value))
                            : 0;
        bool leaves = is_supported(border, value) && n_users(border, value) > here;

        sum += dg_border_value_weight(border, value) *
               ((int64_t)border->n_places[value] - (here > 0) + leaves);
    }
    return sum;
}
