/* Sums over a plan, and over the plan that there would be. */
#include <stdlib.h>
#include <string.h>

#include "base/csr.h"
#include "base/sum.h"
#include "base/text.h"
#include "base/text_set.h"
#include "partition/condense.h"
#include "partition/explain.h"

static void add_cost(struct dg_plan_totals *out, const struct dg_cost *cost,
                     bool delegated)
{
    if (!dg_cost_counts(cost))
        return;
    out->ops++;
    out->delegated_ops += delegated;
    out->unknown_flops += cost->flops < 0;
    dg_add_to(&out->flops, cost->flops);
    dg_add_to(&out->bytes, cost->bytes);
    if (!delegated)
        return;
    dg_add_to(&out->delegated_flops, cost->flops);
    dg_add_to(&out->delegated_bytes, cost->bytes);
}

static void add_crossing(struct dg_plan_totals *out, const struct dg_nodes *nodes,
                         uint32_t node)
{
    out->boundary_values++;
    if (nodes->nbytes[node] < 0)
        out->boundary_unknown++;
    else
        dg_add_to(&out->boundary_bytes, nodes->nbytes[node]);
}

/* Constants belong to the delegate, or are copied for it. */
static bool can_cross(const struct dg_nodes *nodes, uint32_t node)
{
    return !(nodes->marks[node] &
             (DG_MARK_CONSTANT | DG_MARK_GET_ATTR | DG_MARK_OUTPUT));
}

static bool leaves(const struct dg_graph *graph, const uint32_t *part_of, uint32_t node)
{
    for (uint32_t k = graph->user_of[node]; k < graph->user_of[node + 1]; k++) {
        if (part_of[graph->users[k]] != part_of[node])
            return true;
    }
    return false;
}

static void add_member(struct dg_plan_totals *out, const struct dg_nodes *nodes,
                       const uint32_t *part_of, uint32_t node, uint32_t *seen)
{
    const struct dg_graph *graph = &nodes->graph;

    for (uint32_t k = graph->input_of[node]; k < graph->input_of[node + 1]; k++) {
        uint32_t input = graph->inputs[k];

        if (part_of[input] == part_of[node] || seen[input] == part_of[node] ||
            !can_cross(nodes, input))
            continue;
        seen[input] = part_of[node];
        add_crossing(out, nodes, input);
    }
    if (can_cross(nodes, node) && leaves(graph, part_of, node))
        add_crossing(out, nodes, node);
}

static void add_boundaries(struct dg_plan_totals *out, const struct dg_nodes *nodes,
                           const uint32_t *part_of, uint32_t n_parts)
{
    struct dg_arena memory = {0};
    struct dg_csr members;
    uint32_t n = nodes->graph.n_nodes;
    uint32_t *seen = dg_alloc(&memory, n, sizeof(*seen));

    memset(seen, 0xff, n * sizeof(*seen));
    dg_csr_by_key(&members, part_of, n, n_parts, &memory);
    for (uint32_t i = 0; i < members.begins[n_parts]; i++)
        add_member(out, nodes, part_of, members.items[i], seen);
    dg_arena_clear(&memory);
}

/* A branch is in the partition of the operator that takes it. */
static bool is_delegated(const struct dg_explained *graph, const uint32_t *part_of,
                         uint32_t branch)
{
    const struct dg_graph *g = &graph->nodes->graph;

    for (uint32_t k = g->user_of[branch]; k < g->user_of[branch + 1]; k++) {
        if (part_of[g->users[k]] != DG_NO_PART)
            return true;
    }
    return false;
}

/* The first call of the rest whose graph is not before `index`. */
static size_t rest_from(const struct dg_explanation *explanation, size_t index)
{
    size_t low = 0, high = explanation->n_rest;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (explanation->rest[middle].graph < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_rest(struct dg_plan_totals *out,
                     const struct dg_explanation *explanation, size_t index,
                     const uint32_t *part_of)
{
    size_t end = rest_from(explanation, index + 1);

    for (size_t i = rest_from(explanation, index); i < end; i++) {
        const struct dg_rest *rest = &explanation->rest[i];

        add_cost(out, &rest->cost,
                 rest->branch == DG_NO_NODE ||
                     is_delegated(&explanation->graphs[index], part_of, rest->branch));
    }
}

uint32_t dg_count_filled(const uint32_t *part_of, uint32_t n_nodes, uint32_t n_parts)
{
    bool *filled = dg_zeroed(n_parts, sizeof(*filled));
    uint32_t n = 0;

    for (uint32_t i = 0; i < n_nodes; i++) {
        if (part_of[i] != DG_NO_PART && !filled[part_of[i]]) {
            filled[part_of[i]] = true;
            n++;
        }
    }
    free(filled);
    return n;
}

void dg_graph_totals(struct dg_plan_totals *out,
                     const struct dg_explanation *explanation, size_t index,
                     const uint32_t *part_of, uint32_t n_parts)
{
    const struct dg_explained *graph = &explanation->graphs[index];
    const struct dg_nodes *nodes = graph->nodes;

    out->partitions += n_parts;
    out->calls += dg_count_filled(part_of, nodes->graph.n_nodes, n_parts);
    for (uint32_t i = 0; i < nodes->graph.n_nodes; i++) {
        struct dg_cost cost = dg_explained_cost(explanation, graph, i);

        add_cost(out, &cost, part_of[i] != DG_NO_PART);
        out->calls += nodes->marks[i] & DG_MARK_DELEGATE && part_of[i] == DG_NO_PART;
    }
    add_boundaries(out, nodes, part_of, n_parts);
    add_rest(out, explanation, index, part_of);
}

void dg_plan_totals(struct dg_plan_totals *out,
                    const struct dg_explanation *explanation)
{
    *out = (struct dg_plan_totals){0};
    for (size_t i = 0; i < explanation->n_graphs; i++) {
        const struct dg_explained *graph = &explanation->graphs[i];

        dg_graph_totals(out, explanation, i, graph->part_of, graph->n_parts);
    }
}

/* Which operators a user named. */
struct named {
    struct dg_text *ops;
    bool *called;
    size_t n_ops;
    struct dg_arena memory;
};

static void split(struct named *named, const char *list)
{
    while (*list) {
        size_t size = strcspn(list, ",");
        struct dg_text name = {list, size};

        if (size)
            *DG_APPEND(named->ops, named->n_ops) = dg_op_spelling(&named->memory, name);
        list += size + (list[size] == ',');
    }
    named->called = dg_alloc(&named->memory, named->n_ops, 1);
}

static bool is_named(struct named *named, struct dg_text op)
{
    for (size_t i = 0; i < named->n_ops; i++) {
        if (!dg_text_equal(named->ops[i], op))
            continue;
        named->called[i] = true;
        return true;
    }
    return false;
}

/* One with the same name and another overload: "aten::mul.Tensor" for
 * "aten::mul.default". */
static const char *other_overload(const char *name, const char *const *names, size_t n)
{
    const char *dot = strstr(name, "::") ? strrchr(name, '.') : NULL;

    for (size_t i = 0; dot && i < n; i++) {
        if (!strncmp(names[i], name, (size_t)(dot + 1 - name)))
            return names[i];
    }
    return NULL;
}

static enum dg_status refuse_uncalled(const struct named *named,
                                      const struct dg_explanation *explanation,
                                      struct dg_error *err)
{
    struct dg_text_set seen = {0};
    struct dg_arena memory = {0};
    size_t wrong = 0;
    const char **names, *name, *near;

    while (wrong < named->n_ops && named->called[wrong])
        wrong++;
    if (wrong == named->n_ops)
        return named->n_ops ? DG_OK
                            : dg_fail(err, DG_ERR_USAGE,
                                      "--what-if names no operator; expected OP[,OP]");
    for (size_t i = 0; i < explanation->n_graphs; i++) {
        const struct dg_nodes *nodes = explanation->graphs[i].nodes;

        for (uint32_t k = 0; k < nodes->graph.n_nodes; k++) {
            struct dg_text op = dg_nodes_op(nodes, k);

            if (op.data)
                dg_text_set_add(&seen, op);
        }
    }
    names = dg_alloc(&memory, seen.n_texts, sizeof(*names));
    for (uint32_t i = 0; i < seen.n_texts; i++)
        names[i] = dg_copy(&memory, seen.texts[i]);
    name = dg_copy(&memory, named->ops[wrong]);
    near = other_overload(name, names, seen.n_texts);
    if (!near)
        near = dg_nearest(name, names, seen.n_texts);
    /* "cumsum" is not far from "aten::cumsum.default". */
    if (!near && !memchr(named->ops[wrong].data, ':', named->ops[wrong].size))
        near = dg_nearest(dg_format(&memory, "aten::%.*s.default",
                                    (int)named->ops[wrong].size, named->ops[wrong].data)
                              .data,
                          names, seen.n_texts);
    dg_fail(err, DG_ERR_USAGE, "--what-if: no node calls %.*s%s%s%s",
            (int)named->ops[wrong].size, named->ops[wrong].data,
            near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
    dg_text_set_clear(&seen);
    dg_arena_clear(&memory);
    return DG_ERR_USAGE;
}

/* Partition a graph anew, with more calls supported: those of the operators that are
 * named, and what takes items of their results. Placeholders need no partition. */
static void lift(struct dg_partitions *lifted, const struct dg_explanation *explanation,
                 size_t index, struct named *named)
{
    const struct dg_nodes *nodes = explanation->graphs[index].nodes;
    uint32_t n = nodes->graph.n_nodes;
    struct dg_arena memory = {0};
    uint16_t *marks = dg_alloc(&memory, n, sizeof(*marks));
    bool *lifts = dg_alloc(&memory, n, sizeof(*lifts));

    for (uint32_t i = 0; i < n; i++) {
        uint32_t from = dg_producer(&nodes->graph, nodes->marks, i);

        marks[i] = nodes->marks[i];
        lifts[i] = nodes->ops[i] && is_named(named, *nodes->ops[i]);
        if (lifts[i] || (from != i && lifts[from]))
            marks[i] |= DG_MARK_SUPPORTED;
        if (marks[i] & DG_MARK_PLACEHOLDER)
            marks[i] &= (uint16_t)~DG_MARK_SUPPORTED;
    }
    *lifted = (struct dg_partitions){0};
    dg_partition_torch(lifted, &nodes->graph, marks, explanation->no_single);
    dg_arena_clear(&memory);
}

bool dg_count_lifted(uint32_t *out, const struct dg_explanation *explanation,
                     size_t index, struct dg_text op)
{
    bool called = false;
    struct named named = {.ops = &op, .called = &called, .n_ops = 1};
    struct dg_partitions lifted;

    lift(&lifted, explanation, index, &named);
    *out = lifted.n_parts;
    dg_partitions_clear(&lifted);
    return called;
}

static void add_lifted(struct dg_plan_totals *out,
                       const struct dg_explanation *explanation, size_t index,
                       struct named *named)
{
    struct dg_partitions lifted;

    lift(&lifted, explanation, index, named);
    dg_graph_totals(out, explanation, index, lifted.part_of, lifted.n_parts);
    dg_partitions_clear(&lifted);
}

enum dg_status dg_what_if(struct dg_plan_totals *after,
                          const struct dg_explanation *explanation, const char *ops,
                          struct dg_error *err)
{
    struct named named = {0};
    enum dg_status status;

    split(&named, ops);
    *after = (struct dg_plan_totals){0};
    for (size_t i = 0; i < explanation->n_graphs; i++)
        add_lifted(after, explanation, i, &named);
    status = refuse_uncalled(&named, explanation, err);
    free(named.ops);
    dg_arena_clear(&named.memory);
    return status;
}
