/* Cycles, names and layouts: what SQL says too slowly. */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/json_writer.h"
#include "base/text.h"
#include "base/text_set.h"
#include "graph/about.h"
#include "graph/graph.h"
#include "graph/model.h"
#include "graph/model_names.h"
#include "verifiers/graph_parts.h"

enum dg_status dg_each_graph(const struct dg_findings *found, const char *sql,
                             enum dg_status (*look)(const struct dg_findings *, int64_t,
                                                    struct dg_error *),
                             struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(found->store, sql, err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = look(found, dg_rows_int(&rows, 0), err);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status put_name(struct dg_json_writer *json, struct dg_store *store,
                               int64_t node, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(store, "SELECT name FROM node WHERE id = ?1", node, err);

    if (dg_rows_next(&rows))
        dg_write_json(dg_put_raw(json, NULL), dg_rows_slice(&rows, 0));
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status find_cycle(const struct dg_findings *found,
                                 const struct dg_graph *graph, const uint32_t *cycle,
                                 size_t length, struct dg_error *err)
{
    struct dg_writer witness = {0}, message = {0};
    struct dg_json_writer json = {.out = &witness};
    struct dg_finding finding = {.node = graph->first_id + cycle[0]};
    enum dg_status status = DG_OK;

    dg_put_array(&json, NULL);
    for (size_t i = 0; i < length && !status; i++)
        status = put_name(&json, found->store, graph->first_id + cycle[i], err);
    dg_put_end(&json);
    dg_json_written(&json);
    dg_print(&message, "a cycle of %zu nodes", length);
    finding.witness = dg_written(&witness);
    finding.message = dg_written(&message);
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

/* Without an edge that leads backwards there is no cycle. */
static bool leads_back(const struct dg_model *model, const struct dg_model_graph *graph)
{
    for (uint32_t i = graph->first; i < graph->first + graph->n_nodes; i++) {
        for (uint32_t k = model->use_of[i]; k < model->use_of[i + 1]; k++) {
            if (model->uses[k].node >= i)
                return true;
        }
    }
    return false;
}

enum dg_status dg_may_lead_back(bool *may, struct dg_store *store, struct dg_error *err)
{
    const struct dg_model *model;
    enum dg_status status = dg_model_read(&model, store, err);

    *may = false;
    for (uint32_t i = 0; !status && !*may && i < model->n_graphs; i++)
        *may = leads_back(model, &model->graphs[i]);
    return status;
}

enum dg_status dg_check_acyclic(const struct dg_findings *found, struct dg_error *err)
{
    const struct dg_model *model;
    enum dg_status status = dg_model_read(&model, found->store, err);

    for (uint32_t i = 0; !status && i < model->n_graphs; i++) {
        if (leads_back(model, &model->graphs[i]))
            status = look_for_cycle(found, i + 1, err);
    }
    return status;
}

static enum dg_status find_name(const struct dg_findings *found, int64_t node,
                                struct dg_text name, struct dg_error *err)
{
    struct dg_writer message = {0};
    struct dg_finding finding = {.node = node};
    enum dg_status status;

    dg_print(&message, "an earlier node is named ");
    dg_write_text(&message, name);
    dg_print(&message, ", too");
    finding.message = dg_written(&message);
    status = dg_find(found, &finding, err);
    dg_writer_clear(&message);
    return status;
}

/* The graph of a node, if it was saved in a .pt2; else 0. */
static enum dg_status saved_graph_of(struct dg_store *store, int64_t node,
                                     int64_t *graph, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(
        store,
        "SELECT g.id FROM node JOIN \"graph\" AS g ON g.id = graph_id JOIN method"
        " ON method.id = g.method_id AND ir <> 'pte' WHERE node.id = ?1",
        node, err);

    *graph = dg_rows_next(&rows) ? dg_rows_int(&rows, 0) : 0;
    return dg_rows_close(&rows, DG_OK, err);
}

/* Two nodes of one name, `before` the next lower id of that name. Ids of a graph follow
 * one another: if the name is twice in a graph, then with no other graph between. */
static enum dg_status compare_graphs(const struct dg_findings *found, int64_t before,
                                     int64_t node, struct dg_text name,
                                     struct dg_error *err)
{
    int64_t first = 0, second = 0;
    enum dg_status status = saved_graph_of(found->store, before, &first, err);

    if (!status)
        status = saved_graph_of(found->store, node, &second, err);
    if (!status && first && first == second)
        status = find_name(found, node, name, err);
    return status;
}

/* Exact, and slower than filter_names(). */
static enum dg_status find_names(const struct dg_findings *found, struct dg_error *err)
{
    struct dg_writer last = {0};
    int64_t before = 0;
    struct dg_rows rows = dg_rows_all(
        found->store,
        "WITH twice AS MATERIALIZED (SELECT name FROM node"
        "  GROUP BY name HAVING count(*) > 1)"
        " SELECT id, name FROM twice JOIN node USING (name) ORDER BY name, id",
        err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows)) {
        struct dg_text name = dg_rows_slice(&rows, 1);
        int64_t node = dg_rows_int(&rows, 0);

        if (before && dg_text_equal(name, dg_written(&last)))
            status = compare_graphs(found, before, node, name, err);
        before = node;
        last.size = 0;
        dg_write_text(&last, name);
    }
    dg_writer_clear(&last);
    return dg_rows_close(&rows, status, err);
}

/* Whether two nodes of a graph may have one name: by a hash of it, for there may be
 * millions of them. */
static enum dg_status filter_names(bool *twice, struct dg_store *store,
                                   struct dg_error *err)
{
    enum { AHEAD = 8 };
    struct dg_int_set hashes = {0};
    uint64_t ahead[AHEAD];
    const struct dg_model *model;
    const struct dg_model_names *names;
    enum dg_status status = dg_model_read(&model, store, err);

    if (!status)
        status = dg_model_names_read(&names, store, err);
    if (status)
        return status;
    dg_hash_table_expect(&hashes.table, model->n_nodes);
    for (uint32_t i = 0; !*twice && i < model->n_nodes + AHEAD; i++) {
        uint64_t *hash = &ahead[i % AHEAD];

        if (i >= AHEAD)
            *twice = dg_int_set_add(&hashes, *hash) != i - AHEAD;
        if (i < model->n_nodes) {
            *hash = dg_xxh3_64(names->items[i]) + model->nodes[i].graph;
            dg_int_set_prefetch(&hashes, *hash);
        }
    }
    dg_int_set_clear(&hashes);
    return DG_OK;
}

enum dg_status dg_check_names(const struct dg_findings *found, struct dg_error *err)
{
    bool twice = false;
    enum dg_status status = filter_names(&twice, found->store, err);

    return status || !twice ? status : find_names(found, err);
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
    finding.message = dg_written(&message);
    status = dg_find(found, &finding, err);
    dg_writer_clear(&message);
    return status;
}

enum dg_status dg_check_contiguous(const struct dg_findings *found,
                                   struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(
        found->store,
        "SELECT node.id, value.id, shape, strides FROM node"
        "  JOIN value ON value.id = value_id"
        "  JOIN \"graph\" AS g ON g.id = node.graph_id"
        "  JOIN method ON method.id = g.method_id AND ir = 'aten'"
        " WHERE node.kind = 'placeholder' AND " DG_RARE(
            "node") " AND strides IS NOT NULL"
                    "   AND shape IS NOT NULL AND g.kind = 'method' ORDER BY node.id",
        err);
    enum dg_status status = DG_OK;

    while (!status && dg_rows_next(&rows))
        status = look_at_layout(found, &rows, err);
    return dg_rows_close(&rows, status, err);
}
