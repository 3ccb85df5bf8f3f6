/* Cycles, names, dead nodes and layouts: what SQL says too slowly. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "graph/graph.h"
#include "verifiers/graph_parts.h"

/* Calls `look` for each graph id that `sql` gives. */
static enum dg_status each_graph(const struct dg_findings *found, const char *sql,
                                 enum dg_status (*look)(const struct dg_findings *,
                                                        int64_t, struct dg_error *),
                                 struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, found->store, sql, err);

    if (status)
        return status;
    while (!status && dg_rows_next(&rows))
        status = look(found, dg_rows_int(&rows, 0), err);
    return dg_rows_close(&rows, status, err);
}

static const char saved_graphs[] =
    "SELECT g.id FROM \"graph\" AS g JOIN method ON method.id = method_id"
    " WHERE ir <> 'pte' ORDER BY g.id";

static enum dg_status write_name(struct dg_writer *out, struct dg_store *store,
                                 int64_t node, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, store, "SELECT name FROM node WHERE id = ?1", err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, node);
    if (dg_rows_next(&rows))
        dg_write_json(out, dg_rows_slice(&rows, 0));
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status find_cycle(const struct dg_findings *found,
                                 const struct dg_graph *graph, const uint32_t *cycle,
                                 size_t length, struct dg_error *err)
{
    struct dg_writer witness = {0}, message = {0};
    struct dg_finding finding = {.node = graph->first_id + cycle[0]};
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < length && !status; i++) {
        dg_print(&witness, i ? "," : "[");
        status = write_name(&witness, found->store, graph->first_id + cycle[i], err);
    }
    dg_print(&witness, "]");
    dg_print(&message, "a cycle of %zu nodes", length);
    finding.witness = (struct dg_text){witness.data, witness.size};
    finding.message = (struct dg_text){message.data, message.size};
    if (!status)
        status = dg_find(found, &finding, err);
    dg_writer_clear(&witness);
    dg_writer_clear(&message);
    return status;
}

static enum dg_status look_for_cycle(const struct dg_findings *found, int64_t id,
                                     struct dg_error *err)
{
    struct dg_graph graph;
    enum dg_status status = dg_graph_load(&graph, found->store, id, err);

    if (!status) {
        size_t length;
        const uint32_t *cycle = dg_graph_cycle(&graph, &length);

        if (length)
            status = find_cycle(found, &graph, cycle, length, err);
    }
    dg_graph_clear(&graph);
    return status;
}

enum dg_status dg_check_acyclic(const struct dg_findings *found, struct dg_error *err)
{
    /* Without an edge that leads backwards there is no cycle. */
    return each_graph(found,
                      "SELECT DISTINCT graph_id FROM edge JOIN node ON node.id = dst"
                      " WHERE src >= dst ORDER BY graph_id",
                      look_for_cycle, err);
}

/* Names seen so far in one graph: open addressing. */
struct names {
    struct dg_text *slots;
    size_t n_slots;
    struct dg_arena memory;
};

static size_t hash(struct dg_text text)
{
    uint64_t value = 0xcbf29ce484222325;

    for (size_t i = 0; i < text.size; i++)
        value = (value ^ (unsigned char)text.data[i]) * 0x100000001b3;
    return (size_t)(value ^ value >> 29);
}

/* Whether `name` was there already. */
static bool add_name(struct names *names, struct dg_text name)
{
    size_t at = hash(name) & (names->n_slots - 1);

    while (names->slots[at].data) {
        if (dg_text_equal(names->slots[at], name))
            return true;
        at = (at + 1) & (names->n_slots - 1);
    }
    names->slots[at] = (struct dg_text){dg_copy(&names->memory, name), name.size};
    return false;
}

static enum dg_status find_name(const struct dg_findings *found, int64_t node,
                                struct dg_text name, struct dg_error *err)
{
    struct dg_writer message = {0};
    struct dg_finding finding = {.node = node};
    enum dg_status status;

    dg_print(&message, "an earlier node is named ");
    dg_write_plain(&message, name);
    dg_print(&message, ", too");
    finding.message = (struct dg_text){message.data, message.size};
    status = dg_find(found, &finding, err);
    dg_writer_clear(&message);
    return status;
}

static enum dg_status count_nodes(struct dg_store *store, int64_t graph, size_t *count,
                                  struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(
        &rows, store, "SELECT count(*) FROM node WHERE graph_id = ?1", err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, graph);
    *count = dg_rows_next(&rows) ? (size_t)dg_rows_int(&rows, 0) : 0;
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status look_at_names(const struct dg_findings *found, int64_t id,
                                    struct dg_error *err)
{
    struct names names = {.n_slots = 16};
    struct dg_rows rows;
    size_t count = 0;
    enum dg_status status = count_nodes(found->store, id, &count, err);

    if (!status)
        status = dg_rows_open(
            &rows, found->store,
            "SELECT id, name FROM node WHERE graph_id = ?1 ORDER BY id", err);
    if (status)
        return status;
    while (names.n_slots < 2 * count)
        names.n_slots *= 2;
    names.slots = dg_alloc(&names.memory, names.n_slots, sizeof(*names.slots));
    dg_rows_bind_int(&rows, 1, id);
    while (!status && dg_rows_next(&rows)) {
        struct dg_text name = dg_rows_slice(&rows, 1);

        if (add_name(&names, name))
            status = find_name(found, dg_rows_int(&rows, 0), name, err);
    }
    dg_arena_clear(&names.memory);
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_check_names(const struct dg_findings *found, struct dg_error *err)
{
    return each_graph(found, saved_graphs, look_at_names, err);
}

/* What a node is to the search for dead ones. */
enum { LIVE = 1, QUIET = 2 };

/* Outputs, calls with effects, and what delegraph does not know, are live. Of a call
 * with several results some may stay unused. */
static const char kinds_sql[] =
    "SELECT CASE WHEN node.kind = 'output' THEN 1"
    " WHEN node.kind <> 'call_function' THEN 2"
    " WHEN op.name LIKE '_operator.%' OR op.name LIKE 'math.%'"
    "  OR op.name LIKE 'torch.sym_%' THEN iif(op.name = '_operator.getitem', 2, 0)"
    " WHEN op.args IS NULL OR op.returns = '' OR op.namespace IN ('higher_order')"
    "  OR op.flags & ((1 << 3) | (1 << 5)) THEN 1 ELSE 0 END"
    "  FROM node LEFT JOIN op ON op.id = op_id WHERE graph_id = ?1 ORDER BY node.id";

static enum dg_status read_kinds(unsigned char *kinds, const struct dg_graph *graph,
                                 struct dg_store *store, struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, store, kinds_sql, err);

    if (status)
        return status;
    dg_rows_bind_int(&rows, 1, graph->id);
    for (uint32_t i = 0; i < graph->n_nodes && dg_rows_next(&rows); i++)
        kinds[i] = (unsigned char)dg_rows_int(&rows, 0);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status find_dead(const struct dg_findings *found,
                                const struct dg_graph *graph,
                                const unsigned char *kinds, const bool *reaches,
                                struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (uint32_t i = 0; i < graph->n_nodes && !status; i++) {
        struct dg_finding finding = {
            .node = graph->first_id + i,
            .message = dg_text("its result reaches no output and it has no effect")};

        if (!reaches[i] && !kinds[i])
            status = dg_find(found, &finding, err);
    }
    return status;
}

static enum dg_status look_for_dead(const struct dg_findings *found, int64_t id,
                                    struct dg_error *err)
{
    struct dg_graph graph;
    enum dg_status status = dg_graph_load(&graph, found->store, id, err);
    unsigned char *kinds = dg_alloc(&graph.memory, graph.n_nodes, 1);
    bool *marks = dg_alloc(&graph.memory, graph.n_nodes, sizeof(bool));
    bool *reaches = dg_alloc(&graph.memory, graph.n_nodes, sizeof(bool));

    if (!status)
        status = read_kinds(kinds, &graph, found->store, err);
    for (uint32_t i = 0; i < graph.n_nodes; i++)
        marks[i] = kinds[i] == LIVE;
    dg_graph_reaching(&graph, marks, reaches);
    if (!status)
        status = find_dead(found, &graph, kinds, reaches, err);
    dg_graph_clear(&graph);
    return status;
}

enum dg_status dg_check_dead(const struct dg_findings *found, struct dg_error *err)
{
    return each_graph(found, saved_graphs, look_for_dead, err);
}

/* The numbers of a JSON array; -1: it holds others, or too many. */
static int read_numbers(const char *json, int64_t *numbers, int room)
{
    int n = 0;
    char *end;

    if (!json || *json != '[' || strpbrk(json, "\".{tfn"))
        return -1;
    for (json++; *json && *json != ']'; json = end + (*end == ',')) {
        if (n == room)
            return -1;
        numbers[n++] = strtoll(json, &end, 10);
        if (end == json || !strchr(",]", *end))
            return -1;
    }
    return n;
}

/* Whether these are the strides of rows one behind the other. Sizes of 1 do not count.
 */
static bool contiguous(const char *shape, const char *strides)
{
    int64_t sizes[64], steps[64], expected = 1;
    int n = read_numbers(shape, sizes, 64);

    if (n < 0 || read_numbers(strides, steps, 64) != n)
        return true;
    for (int i = n; i-- > 0;) {
        if (!sizes[i])
            return true;
        if (sizes[i] != 1 && steps[i] != expected)
            return false;
        if (__builtin_mul_overflow(expected, sizes[i], &expected))
            return true;
    }
    return true;
}

static enum dg_status look_at_layout(const struct dg_findings *found,
                                     const struct dg_rows *rows, struct dg_error *err)
{
    struct dg_writer message = {0};
    struct dg_finding finding = {.node = dg_rows_int(rows, 0),
                                 .value = dg_rows_int(rows, 1)};
    enum dg_status status;

    if (contiguous(dg_rows_text(rows, 2), dg_rows_text(rows, 3)))
        return DG_OK;
    dg_print(&message, "its shape is %s and its strides are %s", dg_rows_text(rows, 2),
             dg_rows_text(rows, 3));
    finding.message = (struct dg_text){message.data, message.size};
    status = dg_find(found, &finding, err);
    dg_writer_clear(&message);
    return status;
}

enum dg_status dg_check_contiguous(const struct dg_findings *found,
                                   struct dg_error *err)
{
    struct dg_rows rows;
    enum dg_status status =
        dg_rows_open(&rows, found->store,
                     "SELECT node.id, value.id, shape, strides FROM node"
                     "  JOIN value ON value.id = value_id"
                     "  JOIN \"graph\" AS g ON g.id = node.graph_id"
                     "  JOIN method ON method.id = g.method_id AND ir = 'aten'"
                     " WHERE node.kind = 'placeholder' AND strides IS NOT NULL"
                     "   AND shape IS NOT NULL AND g.kind = 'method' ORDER BY node.id",
                     err);

    if (status)
        return status;
    while (!status && dg_rows_next(&rows))
        status = look_at_layout(found, &rows, err);
    return dg_rows_close(&rows, status, err);
}
