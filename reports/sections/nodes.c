/* Nodes for the search of a page: names, operators, neighbours. */
#include <stdlib.h>

#include "base/json_writer.h"
#include "base/sorted.h"
#include "base/text_set.h"
#include "graph/coverage_sql.h"
#include "reports/sections/section.h"
#include "store/line_sql.h"

enum {
    MOST_NODES = 20000,
    MOST_ROWS = 500,
    MOST_BYTES = 700 * 1024,
    LONGEST_TEXT = 200,
    BYTES_PER_INPUT = 6,
    BYTES_PER_NODE = 36, /* beside its name: row, numbers of texts, brackets */
};

/* One list of strings in the data; nodes name them by number. */
enum list { OPS, MODULES, TYPES, SOURCES, PARTITIONS, N_LISTS };

static const char *const list_names[] = {"ops", "modules", "types", "sources",
                                         "partitions"};

struct found {
    int64_t row;
    struct dg_text name;
    uint32_t texts[N_LISTS]; /* DG_NO_TEXT: none */
    size_t first_input, n_inputs;
};

struct index {
    struct found *nodes; /* in order of their rows */
    int64_t *inputs;     /* rows of what nodes read */
    size_t n_nodes, n_inputs;
    int64_t n_left_out;
    struct dg_text_set lists[N_LISTS];
    size_t n_bytes; /* of the data, about */
    struct dg_arena memory;
};

#define GRAPHS                                                                         \
    "(SELECT graph.id FROM graph JOIN method ON method.id = method_id"                 \
    " WHERE artifact_id = ?1)"

/* Wide tables are looked into only as far as LIMIT goes. */
static const char nodes_sql[] =
    "WITH planned AS MATERIALIZED (SELECT node_id,"
    "   min(coalesce(backend || ' ', '') || tag) AS part FROM partition_node"
    "   JOIN partition ON partition.id = partition_id WHERE part_run_id ="
    "    (SELECT max(id) FROM part_run WHERE artifact_id = ?1) GROUP BY "
    "node_id)," DG_PLANNED_BRANCHES
    " branch AS MATERIALIZED (SELECT graph_id, min(part) AS part FROM planned_branches"
    "   JOIN planned USING (node_id) GROUP BY graph_id),"
    " lowered AS MATERIALIZED (SELECT graph_id, min(coalesce(backend, '')) AS part"
    "   FROM delegate WHERE graph_id IS NOT NULL GROUP BY graph_id)"
    " SELECT node.id, node.name,"
    " coalesce(op.name, delegate.backend, node.kind), module.fqn,"
    " value.dtype || coalesce(value.shape, ''),"
    " " DG_SQL_SHORT_LINE("node.trace_id") ","
    " coalesce(planned.part, lowered.part, branch.part, delegate.backend || ' ' || "
    "delegate.idx)"
    " FROM node LEFT JOIN op ON op.id = op_id"
    " LEFT JOIN delegate ON delegate.id = delegate_id"
    " LEFT JOIN module ON module.id = module_id"
    " LEFT JOIN value ON value.id = value_id"
    " LEFT JOIN planned ON planned.node_id = node.id"
    " LEFT JOIN lowered ON lowered.graph_id = node.graph_id"
    " LEFT JOIN branch ON branch.graph_id = node.graph_id"
    " WHERE +node.graph_id IN " GRAPHS " ORDER BY node.id LIMIT ?2";

static const char inputs_sql[] = "SELECT src FROM edge WHERE dst = ?1 ORDER BY pos";
static const char count_sql[] = "SELECT count(*) FROM node WHERE graph_id IN " GRAPHS;

static struct dg_text keep(struct index *index, struct dg_text text)
{
    return (struct dg_text){dg_copy(&index->memory, text), text.size};
}

static uint32_t intern(struct index *index, enum list list, const struct dg_rows *rows,
                       int column)
{
    struct dg_text text = dg_rows_slice(rows, column);
    uint32_t number;

    if (dg_rows_null(rows, column) || !text.size)
        return DG_NO_TEXT;
    if (text.size > LONGEST_TEXT)
        text = dg_elide(&index->memory, text, LONGEST_TEXT);
    number = dg_text_set_find(&index->lists[list], text);
    if (number != DG_NO_TEXT)
        return number;
    index->n_bytes += text.size + 3;
    return dg_text_set_add(&index->lists[list], keep(index, text));
}

static enum dg_status read_inputs(struct index *index, struct found *node,
                                  struct dg_rows *edges, struct dg_error *err)
{
    node->first_input = index->n_inputs;
    dg_rows_bind_int(edges, 1, node->row);
    while (dg_rows_next(edges) && index->n_bytes < MOST_BYTES) {
        *DG_APPEND(index->inputs, index->n_inputs) = dg_rows_int(edges, 0);
        index->n_bytes += BYTES_PER_INPUT;
        node->n_inputs++;
    }
    return dg_rows_again(edges, err);
}

static enum dg_status read_node(struct index *index, const struct dg_rows *rows,
                                struct dg_rows *edges, struct dg_error *err)
{
    struct found *node = DG_APPEND(index->nodes, index->n_nodes);
    struct dg_text name =
        dg_elide(&index->memory, dg_rows_slice(rows, 1), LONGEST_TEXT);

    *node = (struct found){.row = dg_rows_int(rows, 0), .name = keep(index, name)};
    index->n_bytes += BYTES_PER_NODE + name.size;
    for (int i = 0; i < N_LISTS; i++)
        node->texts[i] = intern(index, (enum list)i, rows, 2 + i);
    return read_inputs(index, node, edges, err);
}

static enum dg_status read_rows(struct index *index,
                                const struct dg_report_input *input,
                                struct dg_rows *edges, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(input->store, nodes_sql, input->artifact, err);
    enum dg_status status = DG_OK;

    dg_rows_bind_int(&rows, 2, MOST_NODES);
    while (!status && index->n_bytes < MOST_BYTES && dg_rows_next(&rows))
        status = read_node(index, &rows, edges, err);
    return dg_rows_close(&rows, status, err);
}

static enum dg_status read_index(struct index *index,
                                 const struct dg_report_input *input,
                                 struct dg_error *err)
{
    struct dg_rows edges = dg_rows_of(input->store, inputs_sql, 0, err);
    enum dg_status status = DG_OK;

    status = read_rows(index, input, &edges, err);
    status = dg_rows_close(&edges, status, err);
    if (!status)
        status = dg_store_int_of(input->store, count_sql, input->artifact, 0,
                                 &index->n_left_out, err);
    index->n_left_out -= (int64_t)index->n_nodes;
    return status;
}

static int compare_rows(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = ((const struct found *)b)->row;

    return (left > right) - (left < right);
}

static void put_inputs(struct dg_json_writer *json, const struct index *index,
                       const struct found *node)
{
    for (size_t i = 0; i < node->n_inputs; i++) {
        const struct found *from =
            dg_search(&index->inputs[node->first_input + i], index->nodes,
                      index->n_nodes, sizeof(*index->nodes), compare_rows);

        if (from)
            dg_put_int(json, NULL, from - index->nodes);
    }
}

static void put_node(struct dg_json_writer *json, const struct index *index,
                     const struct found *node)
{
    dg_put_line(json);
    dg_put_array(json, NULL);
    dg_put_int(json, NULL, node->row);
    dg_write_json(dg_put_raw(json, NULL), node->name);
    for (int list = 0; list < N_LISTS; list++)
        dg_put_known(json, NULL,
                     node->texts[list] == DG_NO_TEXT ? -1 : (int64_t)node->texts[list]);
    dg_put_array(json, NULL);
    put_inputs(json, index, node);
    dg_put_end(json);
    dg_put_end(json);
}

static void put_lists(struct dg_json_writer *json, const struct index *index)
{
    for (int list = 0; list < N_LISTS; list++) {
        dg_put_line(json);
        dg_put_array(json, list_names[list]);
        for (uint32_t i = 0; i < index->lists[list].n_texts; i++)
            dg_write_json(dg_put_raw(json, NULL), index->lists[list].texts[i]);
        dg_put_end(json);
    }
}

static void add_data(struct dg_page *page, const struct dg_report_input *input,
                     const struct index *index)
{
    static const char *const columns[] = {"row",  "name",   "op",        "module",
                                          "type", "source", "partition", "inputs"};
    struct dg_writer out = {0};
    struct dg_json_writer json = {.out = &out};

    dg_put_object(&json, NULL);
    dg_put_text(&json, "path", dg_text(input->path));
    dg_put_line(&json);
    dg_put_array(&json, "columns");
    for (size_t i = 0; i < sizeof(columns) / sizeof(*columns); i++)
        dg_put_text(&json, NULL, dg_text(columns[i]));
    dg_put_end(&json);
    put_lists(&json, index);
    dg_put_line(&json);
    dg_put_array(&json, "nodes");
    for (size_t i = 0; i < index->n_nodes; i++)
        put_node(&json, index, &index->nodes[i]);
    dg_put_end(&json);
    dg_put_line(&json);
    dg_put_int(&json, "left_out", (int64_t)index->n_left_out);
    dg_put_end(&json);
    dg_json_written(&json);
    dg_page_data(page, "data-nodes", dg_written(&out));
    dg_writer_clear(&out);
}

static void add_table(struct dg_page *page, const struct dg_report_input *input,
                      const struct index *index)
{
    size_t n = index->n_nodes < MOST_ROWS ? index->n_nodes : MOST_ROWS;

    dg_page_open(page, "node-rows", false, "The first %zu nodes as a table", n);
    dg_page_table(page, "node-table", "Nodes in execution order");
    dg_table_columns(page, "Node:node", "Operator:code", "Module:code", "Type:code",
                     "Line:code", "Partition:code", NULL);
    for (size_t i = 0; i < n; i++) {
        dg_table_text(page, index->nodes[i].name);
        for (int list = 0; list < N_LISTS; list++) {
            uint32_t number = index->nodes[i].texts[list];

            dg_table_text(page, number == DG_NO_TEXT
                                    ? (struct dg_text){0}
                                    : index->lists[list].texts[number]);
        }
    }
    dg_table_more(page, index->n_nodes + (size_t)index->n_left_out - n,
                  "delegraph ls %s", input->path);
    dg_page_close(page);
}

static void clear(struct index *index)
{
    for (int list = 0; list < N_LISTS; list++)
        dg_text_set_clear(&index->lists[list]);
    free(index->nodes);
    free(index->inputs);
    dg_arena_clear(&index->memory);
}

static enum dg_status write(struct dg_page *page, const struct dg_report_input *input,
                            struct dg_error *err)
{
    struct index index = {0};
    enum dg_status status = DG_OK;

    page->forms = DG_FORM_HTML;
    if (input->pictures)
        status = read_index(&index, input, err);
    if (!status && index.n_nodes) {
        if (index.n_left_out > 0) {
            dg_page_say(page, DG_TONE_NOTE,
                        "The first %zu nodes can be searched here; %lld more cannot:",
                        index.n_nodes, (long long)index.n_left_out);
            dg_page_command(page, "delegraph ls %s '*NAME*'", input->path);
        }
        add_data(page, input, &index);
        add_table(page, input, &index);
    }
    clear(&index);
    return status;
}

const struct dg_section dg_section_nodes = {
    .id = "nodes",
    .title = "Nodes",
    .write = write,
};
