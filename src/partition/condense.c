/* Contraction of groups, and the components of what is left. */
#include "partition/condense.h"

#include "graph/components.h"

static bool is_supported(const struct dg_condensed *condensed, uint32_t node)
{
    return condensed->marks[node] & DG_MARK_SUPPORTED;
}

bool dg_only_getitems_read(const struct dg_graph *graph, const uint16_t *marks,
                           uint32_t node)
{
    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        if (!(marks[graph->users[k]] & DG_MARK_GETITEM))
            return false;
    }
    return true;
}

uint32_t dg_producer(const struct dg_graph *graph, const uint16_t *marks, uint32_t node)
{
    uint32_t begin = graph->input_of[node], end = graph->input_of[node + 1];

    if (!(marks[node] & DG_MARK_GETITEM) || begin == end)
        return node;
    for (uint32_t k = begin + 1; k < end; k++) {
        if (graph->inputs[k] != graph->inputs[begin])
            return node;
    }
    if (!dg_only_getitems_read(graph, marks, graph->inputs[begin]))
        return node;
    return graph->inputs[begin];
}

bool dg_is_claimed_placeholder(const struct dg_condensed *condensed, uint32_t node)
{
    return condensed->marks[node] & DG_MARK_PLACEHOLDER &&
           is_supported(condensed, node);
}

/* A group follows its getitem to the producer; where that is of another group already,
 * it cannot. */
static void join_group(struct dg_condensed *condensed, uint32_t base, uint32_t group)
{
    if (group >= condensed->n_groups || condensed->group_of[base] == group)
        return;
    if (condensed->group_of[base] == DG_NO_PART)
        condensed->group_of[base] = group;
    else
        condensed->dissolved[group] = true;
}

static void find_bases(struct dg_condensed *condensed, const struct dg_groups *groups)
{
    for (uint32_t node = 0; node < condensed->graph->n_nodes; node++) {
        uint32_t from = dg_producer(condensed->graph, condensed->marks, node);

        condensed->group_of[node] = DG_NO_PART;
        condensed->base[node] = node;
        if (!is_supported(condensed, node))
            continue;
        if (is_supported(condensed, from))
            condensed->base[node] = condensed->base[from];
        if (groups)
            join_group(condensed, condensed->base[node], groups->group_of[node]);
    }
}

static void number_vertices(struct dg_condensed *condensed)
{
    condensed->n_vertices = condensed->n_groups;
    for (uint32_t node = 0; node < condensed->graph->n_nodes; node++) {
        uint32_t group = condensed->group_of[node], base = condensed->base[node];

        if (base != node)
            condensed->vertex_of[node] = condensed->vertex_of[base];
        else if (group != DG_NO_PART && !condensed->dissolved[group])
            condensed->vertex_of[node] = group;
        else
            condensed->vertex_of[node] = condensed->n_vertices++;
    }
}

void dg_contract_edges(struct dg_csr *out, const struct dg_graph *graph,
                       const uint32_t *vertex_of, uint32_t n_vertices, bool backwards,
                       const uint16_t *marks, uint16_t free_marks,
                       struct dg_arena *memory)
{
    const uint32_t *of = backwards ? graph->input_of : graph->user_of,
                   *others = backwards ? graph->inputs : graph->users;
    struct dg_csr members;
    uint32_t n = 0;

    out->begins = dg_alloc(memory, (size_t)n_vertices + 1, sizeof(*out->begins));
    out->items = dg_alloc(memory, of[graph->n_nodes], sizeof(*out->items));
    dg_csr_by_key(&members, vertex_of, graph->n_nodes, n_vertices, memory);
    for (uint32_t v = 0; v < n_vertices; v++) {
        for (uint32_t m = members.begins[v]; m < members.begins[v + 1]; m++) {
            uint32_t node = members.items[m];

            if (free_marks && (marks[node] & free_marks) == free_marks)
                continue;
            for (uint32_t k = of[node]; k < of[node + 1]; k++) {
                out->items[n] = vertex_of[others[k]];
                n += out->items[n] != v;
            }
        }
        out->begins[v + 1] = n;
    }
}

/* Who reads a claimed placeholder waits for none. */
static void find_components(struct dg_condensed *condensed)
{
    struct dg_arena scratch = {0};
    struct dg_csr users;

    dg_contract_edges(&users, condensed->graph, condensed->vertex_of,
                      condensed->n_vertices, false, condensed->marks,
                      DG_MARK_PLACEHOLDER | DG_MARK_SUPPORTED, &scratch);
    condensed->n_components = dg_components(
        condensed->component_of, condensed->n_vertices, users.begins, users.items);
    dg_arena_clear(&scratch);
}

static void describe_components(struct dg_condensed *condensed)
{
    size_t n = condensed->n_components;
    const uint32_t *component_of = condensed->component_of;

    memset(condensed->n_members, 0, n * sizeof(*condensed->n_members));
    memset(condensed->unsupported, 0, n * sizeof(*condensed->unsupported));
    for (uint32_t v = 0; v < condensed->n_vertices; v++)
        condensed->n_members[component_of[v]]++;
    for (uint32_t node = 0; node < condensed->graph->n_nodes; node++) {
        if (!is_supported(condensed, node))
            condensed->unsupported[component_of[condensed->vertex_of[node]]] = true;
    }
}

bool dg_is_cyclic(const struct dg_condensed *condensed, uint32_t component)
{
    return condensed->n_members[component] > 1 && condensed->unsupported[component];
}

bool dg_contract_groups(struct dg_condensed *condensed)
{
    number_vertices(condensed);
    find_components(condensed);
    describe_components(condensed);
    for (uint32_t c = 0; c < condensed->n_components; c++) {
        if (dg_is_cyclic(condensed, c))
            return true;
    }
    return false;
}

void dg_condense(struct dg_condensed *out, const struct dg_graph *graph,
                 const uint16_t *marks, const struct dg_groups *groups,
                 struct dg_arena *memory)
{
    size_t n_groups = groups ? groups->n_groups : 0, n = graph->n_nodes + n_groups;

    *out = (struct dg_condensed){
        .graph = graph, .marks = marks, .n_groups = (uint32_t)n_groups};
    out->base = dg_alloc(memory, graph->n_nodes, sizeof(uint32_t));
    out->group_of = dg_alloc(memory, graph->n_nodes, sizeof(uint32_t));
    out->vertex_of = dg_alloc(memory, graph->n_nodes, sizeof(uint32_t));
    out->dissolved = dg_alloc(memory, n_groups, sizeof(bool));
    out->component_of = dg_alloc(memory, n, sizeof(uint32_t));
    out->n_members = dg_alloc(memory, n, sizeof(uint32_t));
    out->unsupported = dg_alloc(memory, n, sizeof(bool));
    find_bases(out, groups);
    dg_break_cycles(out);
}
