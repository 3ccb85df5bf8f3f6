/* Nodes inside of delegates: their kinds, and what they are told beside their operands. */
#include <stdlib.h>

#include "base/json_writer.h"
#include "base/text.h"
#include "graph/graph.h"
#include "graph/xnnpack_rows.h"
#include "verifiers/blob_parts.h"

#define NODES DG_BLOB_NODES_SQL
#define WITNESS " json_array(n.name) AS witness"

/* No runtime so far has attention, which its schema does. What is empty has no kind or no
 * body, which the runtime reads nevertheless. */
const char dg_query_blob_node_kind[] =
    "SELECT g.method_id AS method, iif(n.op GLOB 'node<*' AND n.op <> 'node<0>',"
    "   'warning', 'error') AS severity, printf('%s: %s %s', g.path, n.name, CASE n.op"
    "   WHEN 'ScaledDotProductAttention' THEN 'is of a kind that no runtime can run'"
    "   WHEN 'node<0>' THEN 'is empty' ELSE 'is of a kind that is not known' END)"
    "   AS message," WITNESS NODES
    " WHERE n.op = 'ScaledDotProductAttention' OR n.op GLOB 'node<*' ORDER BY n.id";

/* Kinds that round the range to half precision with their result, and want more than one
 * number in it then (convolution-nhwc.c, average-pooling-nhwc.c and, of a filter that
 * another node makes, dynamic-fully-connected-nc.c). */
#define ROUNDED                                                                        \
    "(n.op IN ('Conv2d', 'DepthwiseConv2d', 'AvgPooling2d') OR n.op = 'FullyConnected'" \
    "  AND EXISTS (SELECT 1 FROM delegate_operand AS o JOIN delegate_value AS v"        \
    "   ON v.id = value_id WHERE o.node_id = n.id AND o.name = 'filter'"               \
    "    AND v.constant_idx IS NULL))"                                                 \
    " AND EXISTS (SELECT 1 FROM delegate_operand AS o JOIN delegate_value AS v"        \
    "  ON v.id = value_id WHERE o.node_id = n.id AND access = 'write'"                 \
    "   AND v.datatype = 'fp16')"

/* Of other kinds the runtime does not look at the range. */
const char dg_query_blob_output_range[] =
    "WITH ranged AS (SELECT g.method_id, g.path, n.id, n.name, n.op,"
    "   n.output_min AS least, n.output_max AS most, n.op IN"
    "   (" DG_XNN_CLAMPED_SQL ") AS is_read, dg_f16(n.output_min) >= dg_f16(n.output_max)"
    "   AND " ROUNDED " AS is_lost" NODES
    "  WHERE n.output_min IS NOT NULL AND n.op NOT GLOB 'node<*')"
    "SELECT method_id AS method, iif(is_read, 'error', 'warning') AS severity,"
    "   printf('%s: %s %s', path, name, iif(is_read, printf('clamps its result to'"
    "    || ' %s..%s%s', least, most, iif(is_lost AND least <= most, ', which are one'"
    "    || ' number in half precision', '')), printf('is to clamp its result to %s..%s, and this'"
    "    || ' kind never does', least, most))) AS message, json_array(name) AS witness"
    "  FROM ranged WHERE is_read AND (typeof(least) = 'text' OR typeof(most) = 'text'"
    "   OR least > most OR is_lost OR least = most AND op GLOB '*Pooling2d') OR NOT is_read AND (least > -9e999 OR most < 9e999)"
    " ORDER BY id";

#define ARG(name) "json_extract(n.args, '$." name "')"

/* Windows of convolutions and pools, in rows and in columns of an image. */
#define SPANS                                                                          \
    "spans AS (SELECT *, (height - 1) * apart + 1 AS rows_of_it,"                      \
    "   (width - 1) * aside + 1 AS columns_of_it FROM window)"

/* Whether the first window or the last of a line lies in the padding, which behind it
 * may be more than windows reach. */
#define MISSES(before, behind, span, size, step)                                       \
    "(" before " >= " span " OR " behind " >= " span " AND " behind " - " span         \
    " >= (" size " + " before " + " behind " - " span ") % " step ")"

const char dg_query_blob_window[] =
    "WITH window AS (SELECT g.method_id, g.path, n.id, n.name, n.op, n.flags,"
    "   coalesce(" ARG("kernel_height") ", " ARG("pooling_height") ") AS height,"
    "   coalesce(" ARG("kernel_width") ", " ARG("pooling_width") ") AS width,"
    "   coalesce(" ARG("subsampling_height") ", " ARG("stride_height") ", "
    ARG("pooling_height") ", 1) AS down,"
    "   coalesce(" ARG("subsampling_width") ", " ARG("stride_width") ", "
    ARG("pooling_width") ", 1) AS across,"
    "   iif(n.op = 'AvgPooling2d', 1, coalesce(" ARG("dilation_height") ", 1)) AS apart,"
    "   iif(n.op = 'AvgPooling2d', 1, coalesce(" ARG("dilation_width") ", 1)) AS aside,"
    "   coalesce(" ARG("groups") ", 1) AS groups,"
    "   coalesce(" ARG("group_input_channels") ", 1) AS takes,"
    "   coalesce(" ARG("group_output_channels") ", 1) AS gives,"
    "   " ARG("padding_top") " AS top, " ARG("padding_bottom") " AS bottom,"
    "   " ARG("padding_left") " AS \"left\", " ARG("padding_right") " AS \"right\","
    "   " ARG("adjustment_height") " AS more_down, " ARG("adjustment_width") " AS"
    "    more_across, json_extract(x.shape, '$[1]') AS rows,"
    "   json_extract(x.shape, '$[2]') AS columns, (SELECT max(value)"
    "    FROM json_each(n.args)"
    "   WHERE (n.op = 'ConvTranspose2d' OR key NOT GLOB 'adjustment*')"
    "    AND (n.op <> 'AvgPooling2d' OR key NOT GLOB 'dilation*')) AS largest" NODES
    "  LEFT JOIN delegate_operand AS o ON o.node_id = n.id AND o.pos = 0"
    "  LEFT JOIN delegate_value AS x ON x.id = o.value_id"
    "  WHERE n.op IN ('Conv2d', 'DepthwiseConv2d', 'ConvTranspose2d', 'AvgPooling2d',"
    "   'MaxPooling2d', 'ArgMaxPooling2d', 'StaticResizeBilinear2D')),"
    SPANS ","
    "told AS (SELECT *, CASE"
    "   WHEN 0 IN (height, width) THEN printf('a window of %lld, %lld', height, width)"
    "   WHEN 0 IN (down, across) THEN printf('a stride of %lld, %lld', down, across)"
    "   WHEN 0 IN (apart, aside) THEN printf('a dilation of %lld, %lld', apart, aside)"
    "   WHEN 0 IN (groups, takes, gives) THEN printf('%lld groups of %lld channels that"
    " make %lld', groups, takes, gives)"
    "   WHEN largest > 2147483647 THEN printf('a number of %lld', largest)"
    "   WHEN flags & 4 AND top + bottom + \"left\" + \"right\" AND op <>"
    "     'ConvTranspose2d' THEN 'paddings, and is to pad as much as it takes'"
    "   WHEN op = 'ConvTranspose2d' AND (more_down >= down OR more_across >= across)"
    "    THEN printf('an adjustment of %lld, %lld, which is no less than its stride of"
    " %lld, %lld', more_down, more_across, down, across)"
    "   WHEN op GLOB '*Pooling2d' AND ("
    MISSES("top", "bottom", "rows_of_it", "rows", "down") " OR "
    MISSES("\"left\"", "\"right\"", "columns_of_it", "columns", "across")
    ") THEN printf('windows of %lld, %lld that lie in its paddings of %lld, %lld, %lld,"
    " %lld', rows_of_it, columns_of_it, top, \"left\", bottom, \"right\")"
    "   END AS what FROM spans)"
    "SELECT method_id AS method, printf('%s: %s has %s', path, name, what) AS message,"
    "   json_array(name) AS witness FROM told WHERE what IS NOT NULL ORDER BY id";

/* A value that nobody reads has no memory, and this kind writes both of its results. */
const char dg_query_blob_unread_result[] =
    "SELECT g.method_id AS method, printf('%s: nobody reads value %lld, the %s of %s',"
    "   g.path, v.idx, o.name, n.name) AS message, json_array(n.name) AS witness" NODES
    "  CROSS JOIN delegate_operand AS o ON o.node_id = n.id AND o.access = 'write'"
    "  JOIN delegate_value AS v ON v.id = o.value_id AND NOT v.flags & 2"
    " WHERE n.op = 'ArgMaxPooling2d' AND NOT EXISTS (SELECT 1 FROM delegate_operand AS r"
    "  WHERE r.value_id = v.id AND r.access = 'read') ORDER BY n.id, o.pos";

/* Weights against what the node says of them. */
const char dg_query_blob_weights[] =
    "WITH layer AS (SELECT g.method_id, g.path, n.id, n.name, n.op, n.flags,"
    "   " ARG("groups") " * " ARG("group_output_channels") " AS gives,"
    "   " ARG("group_input_channels") " AS takes, " ARG("kernel_height") " AS height,"
    "   " ARG("kernel_width") " AS width, f.shape AS filter, b.shape AS bias,"
    "   json_extract(f.quantization, '$.channel_dim') AS dim,"
    "   CASE n.op WHEN 'FullyConnected' THEN n.flags & 1 WHEN 'DepthwiseConv2d' THEN 3"
    "    ELSE 0 END AS wants" NODES
    "  JOIN delegate_operand AS p ON p.node_id = n.id AND p.name = 'filter'"
    "  JOIN delegate_value AS f ON f.id = p.value_id"
    "  LEFT JOIN delegate_operand AS q ON q.node_id = n.id AND q.name = 'bias'"
    "  LEFT JOIN delegate_value AS b ON b.id = q.value_id),"
    "sized AS (SELECT *, CASE op"
    "    WHEN 'FullyConnected' THEN filter"
    "    WHEN 'DepthwiseConv2d' THEN json_array(1, height, width, gives / takes)"
    "    ELSE json_array(gives, height, width, takes) END AS should,"
    "   CASE op WHEN 'FullyConnected' THEN json_extract(filter, iif(flags & 1, '$[1]',"
    "     '$[0]')) WHEN 'DepthwiseConv2d' THEN gives / takes ELSE gives END AS channels"
    "  FROM layer),"
    "told AS (SELECT *, CASE"
    "   WHEN filter <> should THEN printf('a filter of %s, and makes %s of it', filter,"
    "     should)"
    "   WHEN op = 'FullyConnected' AND json_array_length(filter) <> 2"
    "    THEN printf('a filter of %s, which is no matrix', filter)"
    "   WHEN dim <> wants THEN printf('a scale for each of dimension %lld of its filter,"
    " and takes them for dimension %lld', dim, wants)"
    "   WHEN bias <> json_array(channels) THEN printf('a bias of %s for %lld channels',"
    "     bias, channels) END AS what FROM sized)"
    "SELECT method_id AS method, iif(what LIKE 'a bias%', 'warning', 'error') AS severity,"
    "   printf('%s: %s has %s', path, name, what) AS message,"
    "   json_array(name) AS witness FROM told WHERE what IS NOT NULL ORDER BY id";

/* Flags that a kind has: XNN_FLAG_*. Some refuse others. */
const char dg_query_blob_flags[] =
    "WITH flagged AS (SELECT g.method_id, g.path, n.id, n.name, n.op, n.flags,"
    "   CASE WHEN n.op IN ('FullyConnected', 'BatchMatrixMultiply') THEN 1"
    "    WHEN n.op IN ('Conv2d', 'DepthwiseConv2d', 'ConvTranspose2d') THEN 4"
    "    WHEN n.op IN ('AvgPooling2d', 'MaxPooling2d') THEN 68"
    "    WHEN n.op = 'GlobalAvgPooling2d' THEN 64"
    "    WHEN n.op = 'StaticResizeBilinear2D' THEN 12"
    "    WHEN n.op GLOB 'node<*' THEN -1 ELSE 8192 END AS known" NODES
    "  WHERE n.flags <> 0)"
    "SELECT method_id AS method, iif(op IN ('Conv2d', 'DepthwiseConv2d',"
    "    'StaticResizeBilinear2D'), 'error', 'warning') AS severity,"
    "   printf('%s: %s has flags %lld, of which %lld mean nothing', path, name, flags,"
    "     flags & ~known) AS message, json_array(name) AS witness FROM flagged"
    " WHERE flags & ~known OR op = 'StaticResizeBilinear2D' AND flags = 12 ORDER BY id";

/* All graphs as one, since none reads of another. */
static enum dg_status load(struct dg_graph *graph, struct dg_store *store,
                           struct dg_error *err)
{
    struct dg_rows rows;
    int64_t n_nodes, n_edges, node = 1;
    enum dg_status status =
        dg_store_int(store, "SELECT count(*) FROM delegate_node", 0, &n_nodes, err);

    if (!status)
        status = dg_store_int(store, "SELECT count(*) FROM delegate_operand", 0,
                              &n_edges, err);
    if (status)
        return status;
    graph->n_nodes = (uint32_t)n_nodes;
    graph->input_of = dg_alloc(&graph->memory, (size_t)n_nodes + 1, sizeof(uint32_t));
    graph->inputs = dg_alloc(&graph->memory, (size_t)n_edges, sizeof(uint32_t));
    rows = dg_rows_all(store,
                       "SELECT o.node_id, v.node_id FROM delegate_operand AS o"
                       " JOIN delegate_value AS v ON v.id = o.value_id"
                       " WHERE o.access = 'read' AND v.node_id IS NOT NULL"
                       " ORDER BY o.node_id, o.pos",
                       err);
    for (n_edges = 0; dg_rows_next(&rows); n_edges++) {
        while (node < dg_rows_int(&rows, 0))
            graph->input_of[node++] = (uint32_t)n_edges;
        graph->inputs[n_edges] = (uint32_t)(dg_rows_int(&rows, 1) - 1);
    }
    while (node <= n_nodes)
        graph->input_of[node++] = (uint32_t)n_edges;
    dg_graph_find_users(graph);
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status put_names(struct dg_json_writer *json, const uint32_t *cycle,
                                size_t length, struct dg_store *store,
                                struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_of(store, "SELECT name FROM delegate_node WHERE id = ?1", 0, err);
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < length && !status; i++) {
        dg_rows_bind_int(&rows, 1, (int64_t)cycle[i] + 1);
        if (dg_rows_next(&rows))
            dg_write_json(dg_put_raw(json, NULL), dg_rows_slice(&rows, 0));
        status = dg_rows_again(&rows, err);
    }
    return dg_rows_close(&rows, status, err);
}

static enum dg_status find_cycle(const struct dg_findings *found, const uint32_t *cycle,
                                 size_t length, struct dg_error *err)
{
    struct dg_writer witness = {0}, message = {0};
    struct dg_json_writer json = {.out = &witness};
    struct dg_rows rows = dg_rows_of(
        found->store,
        "SELECT method_id, path FROM delegate_graph WHERE id ="
        " (SELECT graph_id FROM delegate_node WHERE id = ?1)",
        (int64_t)*cycle + 1, err);
    struct dg_finding finding = {0};
    enum dg_status status;

    dg_put_array(&json, NULL);
    status = put_names(&json, cycle, length, found->store, err);
    dg_put_end(&json);
    dg_json_written(&json);
    if (dg_rows_next(&rows)) {
        finding.method = dg_rows_int(&rows, 0);
        dg_print(&message, "%s: a cycle of %zu nodes", dg_rows_text(&rows, 1), length);
    }
    status = dg_rows_close(&rows, status, err);
    finding.witness = dg_written(&witness);
    finding.message = dg_written(&message);
    if (!status)
        status = dg_find(found, &finding, err);
    dg_writer_clear(&witness);
    dg_writer_clear(&message);
    return status;
}

/* Settled with ExecuTorch 1.5.1: the results of static activations are those of weights that were
 * read so; what becomes of activations that are quantized when known is as wrong. */
const char dg_query_blob_odd_row[] =
    "SELECT g.method_id AS method, printf('%s: %s has rows of %lld weights of 4 bits: the"
    " runtime reads one directly behind the other, and each is written from a whole byte"
    " on', g.path, n.name, json_extract(w.shape, '$[#-1]')) AS message," WITNESS NODES
    "  JOIN delegate_operand AS o ON o.node_id = n.id AND o.name = 'filter'"
    "  JOIN delegate_value AS w ON w.id = o.value_id AND w.dtype = 'i4'"
    " WHERE json_extract(w.shape, '$[#-1]') % 2 = 1"
    "  AND json_extract(w.shape, '$[0]') > 1 ORDER BY n.id";

enum dg_status dg_check_blob_acyclic(const struct dg_findings *found,
                                     struct dg_error *err)
{
    struct dg_graph graph = {0};
    enum dg_status status = load(&graph, found->store, err);

    if (!status) {
        size_t length;
        const uint32_t *cycle = dg_graph_cycle(&graph, &length);

        if (length)
            status = find_cycle(found, cycle, length, err);
    }
    dg_graph_clear(&graph);
    return status;
}
