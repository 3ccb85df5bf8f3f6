/* Groups that no valid partition can hold: an unsupported node would wait for them, and
 * they for it. */
#include "partition/condense.h"

/* After so many rounds all groups of a cyclic component are dissolved at once. Searches
 * for what bridges a single group end after so many steps. */
enum { MAX_ROUNDS = 16, MAX_STEPS = 1 << 25 };

/* A search from the members of one group that remembers whether it has passed an
 * unsupported node. */
struct search {
    const struct dg_condensed *condensed;
    uint32_t group, last; /* nodes after `last` lead to no member */
    uint32_t *seen; /* group + 1 at 2 * node, and at 2 * node + 1 after such a node */
    uint32_t *queue, n_queue;
    uint64_t n_steps;
};

static void visit(struct search *search, uint32_t node, bool passed)
{
    bool supported = search->condensed->marks[node] & DG_MARK_SUPPORTED;
    uint32_t place = 2 * node + (passed || !supported);

    if (node > search->last || search->seen[place] == search->group + 1)
        return;
    search->seen[place] = search->group + 1;
    search->queue[search->n_queue++] = place;
}

/* Whether an unsupported node lies between two members. */
static bool is_bridged(struct search *search, const uint32_t *members,
                       uint32_t n_members)
{
    const struct dg_graph *graph = search->condensed->graph;
    const uint32_t *vertex_of = search->condensed->vertex_of;

    search->n_queue = 0;
    search->last = members[n_members - 1];
    for (uint32_t m = 0; m < n_members; m++) {
        if (!dg_is_claimed_placeholder(search->condensed, members[m]))
            visit(search, members[m], false);
    }
    while (search->n_queue) {
        uint32_t place = search->queue[--search->n_queue], node = place / 2;

        search->n_steps += graph->user_of[node + 1] - graph->user_of[node] + 1;
        for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
            if (place % 2 && vertex_of[graph->users[k]] == search->group)
                return true;
            visit(search, graph->users[k], place % 2);
        }
    }
    return false;
}

/* The nodes of each group that is on a cycle. */
static void list_cyclic(const struct dg_condensed *condensed, struct dg_csr *out,
                        struct dg_arena *memory)
{
    uint32_t n_nodes = condensed->graph->n_nodes;
    uint32_t *group_of = dg_alloc(memory, n_nodes, sizeof(*group_of));

    for (uint32_t node = 0; node < n_nodes; node++) {
        uint32_t vertex = condensed->vertex_of[node];
        bool cyclic = dg_is_cyclic(condensed, condensed->component_of[vertex]);

        group_of[node] = cyclic ? vertex : DG_NO_PART;
    }
    dg_csr_by_key(out, group_of, n_nodes, condensed->n_groups, memory);
}

static void dissolve_bridged(struct dg_condensed *condensed)
{
    struct dg_arena scratch = {0};
    size_t n_places = 2 * (size_t)condensed->graph->n_nodes;
    struct dg_csr members;
    struct search search = {
        .condensed = condensed,
        .seen = dg_alloc(&scratch, n_places, sizeof(uint32_t)),
        .queue = dg_alloc(&scratch, n_places, sizeof(uint32_t)),
    };

    list_cyclic(condensed, &members, &scratch);
    for (uint32_t g = 0; g < condensed->n_groups && search.n_steps < MAX_STEPS; g++) {
        uint32_t begin = members.begins[g], end = members.begins[g + 1];

        search.group = g;
        if (begin < end && is_bridged(&search, &members.items[begin], end - begin))
            condensed->dissolved[g] = true;
    }
    dg_arena_clear(&scratch);
}

/* The last group of each cyclic component, or all of them. False: there was none. */
static bool dissolve_last(struct dg_condensed *condensed, bool all)
{
    struct dg_arena scratch = {0};
    bool *done = dg_alloc(&scratch, condensed->n_components, sizeof(*done));
    bool any = false;

    for (uint32_t g = condensed->n_groups; g-- > 0;) {
        uint32_t component = condensed->component_of[g];

        if (!dg_is_cyclic(condensed, component) || (done[component] && !all))
            continue;
        any = done[component] = condensed->dissolved[g] = true;
    }
    dg_arena_clear(&scratch);
    return any;
}

void dg_break_cycles(struct dg_condensed *condensed)
{
    if (!dg_contract_groups(condensed))
        return;
    dissolve_bridged(condensed);
    for (uint32_t round = 1; dg_contract_groups(condensed); round++) {
        if (!dissolve_last(condensed, round > MAX_ROUNDS))
            return;
    }
}
