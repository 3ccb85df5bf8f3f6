/* Which node is in which part, and what a part adds up to. */
#include "reports/views/parts.h"

#include <stdlib.h>

#include "base/sorted.h"
#include "graph/buckets.h"

enum { MOST_ENDS = 8 }; /* inputs, or outputs, that have an ellipse each */

void dg_parts_begin(struct dg_parts *parts, struct dg_outline *outline)
{
    *parts = (struct dg_parts){.outline = outline};
    parts->part_of =
        dg_alloc(&parts->memory, outline->n_nodes + 1, sizeof(*parts->part_of));
    for (size_t i = 0; i < outline->n_nodes; i++)
        parts->part_of[i] = DG_NOWHERE;
}

void dg_parts_clear(struct dg_parts *parts)
{
    free(parts->items);
    dg_arena_clear(&parts->memory);
    *parts = (struct dg_parts){0};
}

uint32_t dg_parts_add(struct dg_parts *parts, enum dg_box_kind kind, uint32_t graph)
{
    struct dg_part *part = DG_APPEND(parts->items, parts->n_items);

    *part =
        (struct dg_part){.kind = kind, .graph = graph, .first = DG_NOWHERE, .blob = -1};
    return (uint32_t)(parts->n_items - 1);
}

void dg_parts_join(struct dg_parts *parts, uint32_t node, uint32_t part)
{
    parts->part_of[node] = part;
    if (parts->items[part].first > node)
        parts->items[part].first = node;
}

/* Inputs, outputs of one kind, of one graph. */
struct ends {
    struct dg_text spec;
    bool output;
    uint32_t next; /* of the same graph; DG_NOWHERE: none */
    uint32_t part; /* of all of them; DG_NOWHERE: each has its own */
    size_t count;  /* values */
};

struct all_ends {
    struct ends *items;
    size_t n_items;
    uint32_t *first; /* of each graph */
};

static struct ends *find_ends(struct all_ends *all, const struct dg_outline *outline,
                              const struct dg_outline_node *node)
{
    bool output = node->role == DG_ROLE_OUTPUT;
    struct dg_text spec = {0};
    uint32_t *first = &all->first[node->graph];

    if (node->end != DG_NOWHERE && output)
        spec = outline->ends[node->end].spec;
    for (uint32_t i = *first; i != DG_NOWHERE; i = all->items[i].next)
        if (all->items[i].output == output && dg_text_equal(all->items[i].spec, spec))
            return &all->items[i];
    *DG_APPEND(all->items, all->n_items) = (struct ends){
        .spec = spec, .output = output, .next = *first, .part = DG_NOWHERE};
    *first = (uint32_t)(all->n_items - 1);
    return &all->items[*first];
}

static struct dg_text ends_title(struct dg_parts *parts, const struct ends *ends)
{
    static const struct {
        const char *spec, *one, *many;
    } words[] = {
        {"buffer_mutation", "1 buffer written back", "%zu buffers written back"},
        {"parameter_mutation", "1 parameter written back",
         "%zu parameters written back"},
        {"user_input_mutation", "1 input written back", "%zu inputs written back"},
    };

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (ends->output && dg_text_is(ends->spec, words[i].spec))
            return ends->count == 1
                       ? dg_text(words[i].one)
                       : dg_format(&parts->memory, words[i].many, ends->count);
    if (ends->count == 1)
        return dg_text(ends->output ? "output" : "input");
    return dg_format(&parts->memory, "%zu %s", ends->count,
                     ends->output ? "outputs" : "inputs");
}

/* Inputs stand before all that there are so far, outputs behind the last. */
static void add_end(struct dg_parts *parts, uint32_t node, struct ends *ends,
                    size_t last)
{
    const struct dg_outline_node *of = &parts->outline->nodes[node];
    const struct dg_outline_end *end =
        of->end != DG_NOWHERE ? &parts->outline->ends[of->end] : NULL;
    enum dg_box_kind kind = ends->output ? DG_BOX_OUTPUT : DG_BOX_INPUT;
    uint32_t part = ends->part;

    if (part == DG_NOWHERE) {
        part = dg_parts_add(parts, kind, of->graph);
        parts->items[part].title = ends_title(parts, ends);
        if (ends->count > MOST_ENDS || !end)
            ends->part = part;
        else {
            parts->items[part].title = end->name;
            parts->items[part].value = end->value;
        }
    }
    parts->items[part].order =
        ends->output ? (uint64_t)last * DG_ORDER + DG_ORDER_OUTPUT : DG_ORDER_INPUT;
    dg_parts_join(parts, node, part);
}

static bool is_end(const struct dg_parts *parts, uint32_t node, bool branches)
{
    const struct dg_outline_node *of = &parts->outline->nodes[node];
    const struct dg_outline_graph *graph;

    if (parts->part_of[node] != DG_NOWHERE || of->graph == DG_NOWHERE ||
        (of->role != DG_ROLE_INPUT && of->role != DG_ROLE_OUTPUT))
        return false;
    graph = &parts->outline->graphs[of->graph];
    return !graph->lowered && (branches || graph->caller == DG_NOWHERE);
}

/* The output node of a branch takes all of its values. */
static void count_ends(struct all_ends *all, const struct dg_parts *parts,
                       bool branches)
{
    const struct dg_outline *outline = parts->outline;

    for (uint32_t i = 0; i < outline->n_nodes; i++)
        if (is_end(parts, i, branches) && (outline->nodes[i].end != DG_NOWHERE ||
                                           outline->nodes[i].role == DG_ROLE_INPUT))
            find_ends(all, outline, &outline->nodes[i])->count++;
    for (size_t i = 0; i < outline->n_uses; i++) {
        uint32_t to = outline->uses[i].to;

        if (is_end(parts, to, branches) && outline->nodes[to].end == DG_NOWHERE &&
            outline->nodes[to].role == DG_ROLE_OUTPUT)
            find_ends(all, outline, &outline->nodes[to])->count++;
    }
}

void dg_parts_add_ends(struct dg_parts *parts, bool branches)
{
    struct dg_outline *outline = parts->outline;
    struct all_ends all = {0};
    size_t last = parts->n_items;

    all.first = dg_alloc(&parts->memory, outline->n_graphs, sizeof(*all.first));
    memset(all.first, 0xff, outline->n_graphs * sizeof(*all.first));
    count_ends(&all, parts, branches);
    for (uint32_t i = 0; i < outline->n_nodes; i++) {
        struct ends *ends;

        if (!is_end(parts, i, branches))
            continue;
        ends = find_ends(&all, outline, &outline->nodes[i]);
        if (ends->count)
            add_end(parts, i, ends, last);
    }
    free(all.items);
}

/* Keep the most frequent operators, the first of equals before the others. */
static void rank_op(struct dg_part *part, struct dg_part_op op)
{
    for (size_t i = 0; i < DG_PART_OPS; i++)
        if (op.count > part->ops[i].count) {
            struct dg_part_op less = part->ops[i];

            part->ops[i] = op;
            op = less;
        }
}

static bool is_op(const struct dg_outline_node *node)
{
    return node->role == DG_ROLE_CALL || node->role == DG_ROLE_CONTROL ||
           node->role == DG_ROLE_JUMP;
}

void dg_parts_count_ops(struct dg_parts *parts)
{
    const struct dg_outline *outline = parts->outline;
    struct dg_arena memory = {0};
    struct dg_buckets nodes;
    size_t *counts = dg_alloc(&memory, outline->n_ops + 1, sizeof(*counts));
    uint32_t *met = dg_alloc(&memory, outline->n_ops + 1, sizeof(*met));

    dg_fill_buckets(&nodes, parts->part_of, (uint32_t)outline->n_nodes,
                    (uint32_t)parts->n_items, &memory);
    for (size_t p = 0; p < parts->n_items; p++) {
        struct dg_part *part = &parts->items[p];
        size_t n_met = 0;

        part->n_calls = 0;
        memset(part->ops, 0, sizeof(part->ops));
        for (uint32_t k = nodes.begins[p]; k < nodes.begins[p + 1]; k++) {
            const struct dg_outline_node *node = &outline->nodes[nodes.items[k]];

            part->n_calls += is_op(node);
            if (is_op(node) && node->op && !counts[node->op]++)
                met[n_met++] = node->op;
        }
        part->n_kinds = n_met;
        for (size_t i = 0; i < n_met; i++) {
            rank_op(part, (struct dg_part_op){met[i], counts[met[i]]});
            counts[met[i]] = 0;
        }
    }
    dg_arena_clear(&memory);
}

static enum dg_status read_costs(struct dg_parts *parts, const struct dg_view_input *in)
{
    const struct dg_outline *outline = parts->outline;
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, in->store,
                     "SELECT node_id, flops, bytes, kind = 'delegate_call' FROM cost"
                     " JOIN node ON node.id = node_id",
                     in->err);

    if (status)
        return status;
    while (dg_rows_next(&rows)) {
        int64_t row = dg_rows_int(&rows, 0);
        uint32_t part = row > 0 && (uint64_t)row <= outline->n_rows
                            ? parts->part_of[row - 1]
                            : DG_NOWHERE;
        double flops = dg_rows_double(&rows, 1), bytes = dg_rows_double(&rows, 2);

        if (part == DG_NOWHERE)
            continue;
        parts->items[part].flops += flops;
        parts->items[part].bytes += bytes;
        parts->opaque |= dg_rows_int(&rows, 3) != 0;
        parts->flops += flops;
        parts->bytes += bytes;
    }
    return dg_rows_close(&rows, DG_OK, in->err);
}

struct weight { /* that a part reads */
    uint32_t value, part;
};

static int by_value_and_part(const void *left, const void *right)
{
    const struct weight *a = left, *b = right;

    if (a->value != b->value)
        return a->value < b->value ? -1 : 1;
    return (a->part > b->part) - (a->part < b->part);
}

static enum dg_status add_weights(struct dg_parts *parts,
                                  const struct dg_view_input *in,
                                  const struct weight *weights, size_t n_weights)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, in->store, "SELECT nbytes FROM value WHERE id = ?1", in->err);
    int64_t nbytes = 0;

    if (status)
        return status;
    for (size_t i = 0; !status && i < n_weights; i++) {
        if (i && !by_value_and_part(&weights[i - 1], &weights[i]))
            continue;
        if (!i || weights[i].value != weights[i - 1].value) {
            dg_rows_bind_int(&rows, 1, weights[i].value);
            nbytes = dg_rows_next(&rows) ? dg_rows_int_or(&rows, 0, 0) : 0;
            status = dg_rows_again(&rows, in->err);
        }
        if (nbytes > 0 && parts->items[weights[i].part].weights <= INT64_MAX - nbytes)
            parts->items[weights[i].part].weights += nbytes;
    }
    return dg_rows_close(&rows, status, in->err);
}

/* A weight that several parts read counts for each of them. */
static enum dg_status read_weights(struct dg_parts *parts,
                                   const struct dg_view_input *in)
{
    const struct dg_outline *outline = parts->outline;
    struct weight *weights = NULL;
    size_t n_weights = 0;
    enum dg_status status;

    for (size_t i = 0; i < outline->n_uses; i++) {
        const struct dg_outline_use *use = &outline->uses[i];
        const struct dg_outline_node *from = &outline->nodes[use->from];

        if (from->role == DG_ROLE_WEIGHT && from->value &&
            parts->part_of[use->to] != DG_NOWHERE)
            *DG_APPEND(weights, n_weights) =
                (struct weight){from->value, parts->part_of[use->to]};
    }
    dg_sort(weights, n_weights, sizeof(*weights), by_value_and_part);
    status = n_weights ? add_weights(parts, in, weights, n_weights) : DG_OK;
    free(weights);
    return status;
}

enum dg_status dg_parts_measure(struct dg_parts *parts, const struct dg_view_input *in)
{
    enum dg_status status;

    dg_parts_count_ops(parts);
    status = read_costs(parts, in);
    return status ? status : read_weights(parts, in);
}
