/* Inputs, outputs and weights: of a .pt2 placeholders that the signature tells apart,
 * of a .pte values that instructions read as they were at first. */
#include "reports/views/skeleton.h"

#include <stdlib.h>

#include "base/csr.h"
#include "base/sorted.h"

static uint32_t add_node(struct dg_skeleton *skeleton, enum dg_role role,
                         uint32_t graph, uint32_t value)
{
    *DG_APPEND(skeleton->nodes, skeleton->n_nodes) =
        (struct dg_skeleton_node){.role = (uint8_t)role,
                                  .graph = graph,
                                  .value = value,
                                  .end = (uint32_t)skeleton->n_ends};
    return (uint32_t)(skeleton->n_nodes - 1);
}

static void add_use(struct dg_skeleton *skeleton, uint32_t from, uint32_t to,
                    uint32_t value)
{
    *DG_APPEND(skeleton->uses, skeleton->n_uses) =
        (struct dg_skeleton_use){from, to, value};
}

/* The row of a value; 0: none, or one that cannot be. Nothing makes that. */
static uint32_t value_row(const struct dg_skeleton *skeleton, int64_t row)
{
    return row > 0 && (uint64_t)row <= skeleton->n_values ? (uint32_t)row : 0;
}

/* Columns of read_signature(); type and shape are two. */
enum { GRAPH, POS, VALUE, TYPE, NAME = TYPE + 2, SPEC, TARGET, SCALAR };

/* A mutated buffer is called by its own name, not by that of its new value. */
static void add_end(struct dg_skeleton *skeleton, const struct dg_rows *rows,
                    bool output)
{
    struct dg_skeleton_end *end = DG_APPEND(skeleton->ends, skeleton->n_ends);
    struct dg_arena *memory = &skeleton->memory;

    *end = (struct dg_skeleton_end){
        .value = dg_view_type(memory, rows, TYPE),
        .spec = dg_rows_keep(memory, rows, SPEC),
        .target = dg_rows_keep(memory, rows, TARGET),
        .name = dg_rows_keep(memory, rows, NAME),
    };
    if (output && end->target.size)
        end->name = end->target;
    if (!end->name.data)
        end->name = dg_format(memory, "%s %u", output ? "output" : "input",
                              (unsigned)dg_rows_int(rows, POS));
}

static void add_input(struct dg_skeleton *skeleton, const struct dg_rows *rows,
                      uint32_t graph, uint32_t value)
{
    struct dg_text spec = dg_rows_slice(rows, SPEC);
    uint32_t node = skeleton->made_by[value];

    if (skeleton->graphs[graph].instructions) {
        node = add_node(skeleton, DG_ROLE_INPUT, graph, value);
        if (value)
            skeleton->made_by[value] = node;
    }
    if (node == DG_NOWHERE)
        return;
    skeleton->nodes[node].end = (uint32_t)skeleton->n_ends;
    if (spec.size && !dg_text_is(spec, "user_input"))
        skeleton->nodes[node].role = DG_ROLE_WEIGHT;
    add_end(skeleton, rows, false);
}

/* What instructions of a graph write, by the place in memory that it goes to. */
struct writes {
    uint32_t graph;
    uint32_t *place_of; /* of each value */
    struct dg_csr of;   /* accesses of each place */
    struct dg_arena memory;
};

struct spot {
    int64_t mem_id, offset;
    uint32_t value;
};

static int by_address(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;

    if (a->mem_id != b->mem_id)
        return a->mem_id < b->mem_id ? -1 : 1;
    return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Values that begin at the same byte share a place, others have one of their own. */
static void find_places(uint32_t *place_of, const struct dg_flow *flow)
{
    struct spot *spots = NULL;
    size_t n_spots = 0;

    for (uint32_t i = 0; i < flow->n_values; i++) {
        const struct dg_model_value *value = &flow->stored[i];

        place_of[i] = i;
        if (value->mem_id != DG_NONE && value->offset != DG_NONE)
            *DG_APPEND(spots, n_spots) = (struct spot){value->mem_id, value->offset, i};
    }
    dg_sort(spots, n_spots, sizeof(*spots), by_address);
    for (size_t i = 1; i < n_spots; i++)
        if (!by_address(&spots[i - 1], &spots[i]))
            place_of[spots[i].value] = place_of[spots[i - 1].value];
    free(spots);
}

static void list_writes(struct writes *writes, const struct dg_skeleton *skeleton,
                        uint32_t graph)
{
    const struct dg_flow *flow = &skeleton->graphs[graph].flow;
    uint32_t *places = dg_zeroed(flow->n_accesses, sizeof(*places));

    dg_arena_clear(&writes->memory);
    writes->graph = graph;
    writes->place_of = dg_alloc(&writes->memory, flow->n_values, sizeof(uint32_t));
    find_places(writes->place_of, flow);
    for (uint32_t i = 0; i < flow->n_accesses; i++)
        places[i] = flow->accesses[i].how & (DG_FLOW_WRITE | DG_FLOW_MOVE)
                        ? writes->place_of[flow->accesses[i].value]
                        : DG_NOWHERE;
    dg_csr_by_key(&writes->of, places, flow->n_accesses, flow->n_values,
                  &writes->memory);
    free(places);
}

/* Moves in branches write an output side by side; any other write replaces what was
 * there. */
static void add_writers(struct dg_skeleton *skeleton, const struct writes *writes,
                        uint32_t node, uint32_t value)
{
    const struct dg_flow *flow = &skeleton->graphs[writes->graph].flow;
    uint32_t at = flow->n_values ? value - (uint32_t)flow->stored[0].id : 0;
    const uint32_t *of = writes->of.begins;
    size_t first = skeleton->n_uses;

    if (skeleton->made_by[value] != DG_NOWHERE)
        add_use(skeleton, skeleton->made_by[value], node, value);
    of = at < flow->n_values ? of + writes->place_of[at] : NULL;
    for (uint32_t k = of ? of[0] : 0; of && k < of[1]; k++) {
        uint32_t writer = flow->accesses[writes->of.items[k]].node;

        if (!flow->nodes[writer].moves)
            skeleton->n_uses = first;
        add_use(skeleton, (uint32_t)flow->first_id - 1 + writer, node, value);
    }
    if (skeleton->n_uses == first)
        skeleton->nodes[node].role = DG_ROLE_LITERAL;
}

static void add_output(struct dg_skeleton *skeleton, const struct dg_rows *rows,
                       uint32_t graph, uint32_t value, struct writes *writes)
{
    const struct dg_skeleton_graph *of = &skeleton->graphs[graph];
    uint32_t node;

    if (of->lowered || (!of->instructions && skeleton->made_by[value] == DG_NOWHERE))
        return;
    node = add_node(skeleton, DG_ROLE_OUTPUT, graph, value);
    add_end(skeleton, rows, true);
    skeleton->graphs[graph].n_outputs++;
    if (!of->instructions) {
        add_use(skeleton, skeleton->made_by[value], node, value);
        return;
    }
    if (writes->graph != graph)
        list_writes(writes, skeleton, graph);
    add_writers(skeleton, writes, node, value);
    if (skeleton->nodes[node].role == DG_ROLE_LITERAL && !dg_rows_null(rows, SCALAR))
        skeleton->ends[skeleton->nodes[node].end].value =
            dg_rows_keep(&skeleton->memory, rows, SCALAR);
}

static enum dg_status read_signature(struct dg_skeleton *skeleton,
                                     const struct dg_view_input *in, bool output)
{
    struct writes writes = {.graph = DG_NOWHERE};
    struct dg_rows rows =
        dg_rows_all(in->store,
                    "SELECT s.graph_id, s.pos, s.value_id," DG_VIEW_TYPE
                    ", s.name, s.spec, s.target, value.scalar"
                    " FROM signature AS s LEFT JOIN value ON value.id = s.value_id"
                    " WHERE s.direction = ?1 ORDER BY s.graph_id, s.pos",
                    in->err);

    dg_rows_bind_text(&rows, 1, dg_text(output ? "output" : "input"));
    while (dg_rows_next(&rows)) {
        int64_t row = dg_rows_int(&rows, GRAPH);
        uint32_t value = value_row(skeleton, dg_rows_int(&rows, VALUE));
        uint32_t graph = row > 0 && (uint64_t)row <= skeleton->n_graph_rows
                             ? skeleton->graph_of[row]
                             : DG_NOWHERE;

        if (graph != DG_NOWHERE && output)
            add_output(skeleton, &rows, graph, value, &writes);
        else if (graph != DG_NOWHERE)
            add_input(skeleton, &rows, graph, value);
    }
    dg_arena_clear(&writes.memory);
    return dg_rows_close(&rows, DG_OK, in->err);
}

/* Tensors of a .pte that lie in the file, or in another. */
static void add_stored(struct dg_skeleton *skeleton, uint32_t graph)
{
    const struct dg_value_graph *of =
        dg_value_graph_of(skeleton->values, skeleton->graphs[graph].id);

    for (size_t i = 0; of && i < of->n; i++) {
        const struct dg_model_value *value = &skeleton->values->items[of->first + i];
        bool state = value->storage == DG_STORED_MUTABLE;
        uint32_t row = value_row(skeleton, value->id);
        struct dg_skeleton_end *end;

        if ((!state && value->storage != DG_STORED_CONSTANT &&
             value->storage != DG_STORED_EXTERNAL) ||
            !row || skeleton->made_by[row] != DG_NOWHERE)
            continue;
        skeleton->made_by[row] = add_node(skeleton, DG_ROLE_WEIGHT, graph, row);
        end = DG_APPEND(skeleton->ends, skeleton->n_ends);
        *end = (struct dg_skeleton_end){
            .name = value->name.data
                        ? dg_format(&skeleton->memory, "%s", value->name.data)
                        : dg_format(&skeleton->memory, "%s %d",
                                    state ? "state" : "constant", (int)value->idx)};
    }
}

struct reads {
    uint32_t *seen; /* by value: the node behind that which is known to read it */
    size_t edge, n_edges;
};

/* Uses of what no instruction made before: edges have the others. */
static void add_reads(struct dg_skeleton *skeleton, const struct dg_flow *flow,
                      struct reads *reads)
{
    for (uint32_t i = 0; i < flow->n_nodes; i++) {
        uint32_t node = (uint32_t)flow->first_id - 1 + i;

        for (; reads->edge < reads->n_edges; reads->edge++) {
            const struct dg_skeleton_use *use = &skeleton->uses[reads->edge];

            if (use->to > node)
                break;
            reads->seen[use->value] = use->to + 1;
        }
        for (uint32_t k = flow->access_of[i]; k < flow->access_of[i + 1]; k++) {
            const struct dg_flow_access *access = &flow->accesses[k];
            uint32_t value = value_row(skeleton, flow->stored[access->value].id);

            if (!(access->how & (DG_FLOW_READ | DG_FLOW_UPDATE)) ||
                skeleton->made_by[value] == DG_NOWHERE ||
                reads->seen[value] == node + 1)
                continue;
            reads->seen[value] = node + 1;
            add_use(skeleton, skeleton->made_by[value], node, value);
        }
    }
}

static enum dg_status read_flow(struct dg_skeleton *skeleton,
                                const struct dg_view_input *in, uint32_t graph,
                                struct reads *reads)
{
    struct dg_skeleton_graph *of = &skeleton->graphs[graph];
    enum dg_status status = dg_flow_load(&of->flow, in->store, of->id, in->err);

    if (status)
        return status;
    add_stored(skeleton, graph);
    if (of->flow.first_id - 1 + of->flow.n_nodes > (int64_t)skeleton->n_rows)
        dg_flow_clear(&of->flow);
    add_reads(skeleton, &of->flow, reads);
    return DG_OK;
}

static enum dg_status read_flows(struct dg_skeleton *skeleton,
                                 const struct dg_view_input *in)
{
    struct reads reads = {dg_zeroed(skeleton->n_values + 1, sizeof(*reads.seen)), 0,
                          skeleton->n_uses};
    enum dg_status status = DG_OK;

    for (uint32_t g = 0; !status && g < skeleton->n_graphs; g++)
        if (skeleton->graphs[g].instructions)
            status = read_flow(skeleton, in, g, &reads);
    free(reads.seen);
    return status;
}

/* The node "output" gives way to the outputs of the signature. */
static void drop_output_nodes(struct dg_skeleton *skeleton)
{
    for (size_t i = 0; i < skeleton->n_rows; i++) {
        struct dg_skeleton_node *node = &skeleton->nodes[i];

        if (node->role == DG_ROLE_OUTPUT && skeleton->graphs[node->graph].n_outputs)
            node->role = DG_ROLE_NONE;
    }
}

enum dg_status dg_skeleton_read_ends(struct dg_skeleton *skeleton,
                                     const struct dg_view_input *in)
{
    enum dg_status status = read_signature(skeleton, in, false);

    if (!status)
        status = read_flows(skeleton, in);
    if (!status)
        status = read_signature(skeleton, in, true);
    if (!status)
        drop_output_nodes(skeleton);
    return status;
}
