/* What the runtime makes of nodes on codes, and does not survive or takes for other
 * codes. */
#include <stdlib.h>

#include "graph/xnnpack_merge.h"
#include "graph/xnnpack_rows.h"
#include "verifiers/blob_parts.h"

#define SCALE(value) "json_extract(" value ".quantization, '$.scale')"
#define ZERO(value) "json_extract(" value ".quantization, '$.zero_point')"

/* clang-format off */

/* ?1: the clamp, ?2: what it is merged into. Sums of products get the scale of the clamp,
 * but a pool has none to give. */
static const char pool_sql[] =
    "SELECT g.method_id, printf('%s: %s clamps what %s gives, from scale %.9g and zero"
    " point %lld to %.9g and %lld', g.path, n.name, pool.name, " SCALE("x") ", " ZERO("x")
    ", " SCALE("y") ", " ZERO("y") "), json_array(n.name, pool.name)"
    " FROM delegate_node AS n JOIN delegate_graph AS g ON g.id = n.graph_id"
    "  JOIN delegate_node AS pool ON pool.id = ?2 AND pool.op = 'MaxPooling2d'"
    "  JOIN delegate_operand AS o ON o.node_id = pool.id AND o.access = 'write'"
    "  JOIN delegate_operand AS p ON p.node_id = n.id AND p.access = 'write'"
    "  JOIN delegate_value AS x ON x.id = o.value_id"
    "  JOIN delegate_value AS y ON y.id = p.value_id"
    " WHERE n.id = ?1";

/* clang-format on */

/* ?1, ?2: the first and the last. */
static const char table_sql[] =
    "SELECT g.method_id, printf('%s: ten functions of codes follow one another, from "
    "%s to"
    " %s', g.path, n.name, last.name), json_array(n.name, last.name)"
    " FROM delegate_node AS n JOIN delegate_graph AS g ON g.id = n.graph_id"
    "  JOIN delegate_node AS last ON last.id = ?2 WHERE n.id = ?1";

/* ?1, ?2: a copy and who reads it. */
static const char copy_sql[] =
    "SELECT g.method_id, printf('%s: %s reads what %s gives more than once', g.path,"
    " reader.name, n.name), json_array(reader.name, n.name)"
    " FROM delegate_node AS n JOIN delegate_graph AS g ON g.id = n.graph_id"
    "  JOIN delegate_node AS reader ON reader.id = ?2 WHERE n.id = ?1";

/* ?1, ?2: who needs scales of images, and a convolution of 1x1. */
static const char torn_sql[] =
    "SELECT g.method_id, printf('%s: %s needs scales of images, and for %s there are"
    " scales of pixels', g.path, n.name, pointwise.name),"
    "   json_array(n.name, pointwise.name)"
    " FROM delegate_node AS n JOIN delegate_graph AS g ON g.id = n.graph_id"
    "  JOIN delegate_node AS pointwise ON pointwise.id = ?2 WHERE n.id = ?1";

static enum dg_status find_pair(const struct dg_findings *found, struct dg_rows *rows,
                                const struct dg_xnn_pair *pair, struct dg_error *err)
{
    struct dg_finding finding = {0};
    enum dg_status status = DG_OK;

    dg_rows_bind_int(rows, 1, pair->node);
    dg_rows_bind_int(rows, 2, pair->other);
    if (dg_rows_next(rows)) {
        finding.method = dg_rows_int(rows, 0);
        finding.message = dg_rows_slice(rows, 1);
        finding.witness = dg_rows_slice(rows, 2);
        status = dg_find(found, &finding, err);
    }
    return status ? status : dg_rows_again(rows, err);
}

/* A finding of each pair of which the query says anything. */
static enum dg_status find_pairs(const struct dg_findings *found, const char *sql,
                                 const struct dg_xnn_pair *pairs, size_t n,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(found->store, sql, err);
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < n && !status; i++)
        status = find_pair(found, &rows, &pairs[i], err);
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_check_blob_merged_clamp(const struct dg_findings *found,
                                          struct dg_error *err)
{
    struct dg_xnn_merges merges;
    enum dg_status status = dg_xnn_find_merges(&merges, found->store, 0, err);

    if (!status)
        status = find_pairs(found, pool_sql, merges.clamps, merges.n_clamps, err);
    dg_xnn_merges_clear(&merges);
    return status;
}

enum dg_status dg_check_blob_long_chain(const struct dg_findings *found,
                                        struct dg_error *err)
{
    struct dg_xnn_merges merges;
    enum dg_status status = dg_xnn_find_merges(&merges, found->store, 0, err);

    if (!status)
        status = find_pairs(found, table_sql, merges.tables, merges.n_tables, err);
    dg_xnn_merges_clear(&merges);
    return status;
}

/* Few blobs have copies: the graphs of others are not read for them. */
enum dg_status dg_check_blob_copy_read_twice(const struct dg_findings *found,
                                             struct dg_error *err)
{
    struct dg_xnn_merges merges = {0};
    int64_t any = 0;
    enum dg_status status = dg_store_int(
        found->store, "SELECT EXISTS (SELECT 1 FROM delegate_node WHERE op = 'Copy')",
        0, &any, err);

    if (!status && any)
        status = dg_xnn_find_merges(&merges, found->store, 0, err);
    if (!status && any)
        status = find_pairs(found, copy_sql, merges.copies, merges.n_copies, err);
    dg_xnn_merges_clear(&merges);
    return status;
}

/* Who reads what is quantized by image when it runs, where images have several pixels:
 * beside the batch and the channels it has other sizes than 1. */
static const char by_image_sql[] =
    "SELECT v.id, n.id, " DG_XNN_NODE_SQL " FROM delegate_value AS v"
    " JOIN delegate_graph AS g ON g.id = v.graph_id AND g.format = 'xnnpack'"
    " JOIN delegate_operand AS o ON o.value_id = v.id AND o.access = 'read'"
    " JOIN delegate_node AS n ON n.id = o.node_id"
    " WHERE json_extract(v.quantization, '$.type', '$.num_nonbatch_dims')"
    "   = '[\"per_token\",3]'"
    "  AND (SELECT count(*) FROM json_each(v.shape) WHERE key > 0 AND value <> 1)"
    "   > (json_extract(n.args, '$.group_input_channels') > 1)"
    " ORDER BY v.id, n.id";

/* Of the readers of a value the first that is a convolution of 1x1, and the first that
 * is none. */
static enum dg_status read_torn(struct dg_xnn_pair **torn, size_t *n,
                                const struct dg_findings *found, struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(found->store, by_image_sql, err);
    struct dg_xnn_pair readers = {0};
    int64_t value = 0;

    while (dg_rows_next(&rows)) {
        struct dg_xnn_node node = dg_xnn_node_of(&rows, 2);
        int64_t *reader;

        if (dg_rows_int(&rows, 0) != value)
            readers = (struct dg_xnn_pair){0};
        value = dg_rows_int(&rows, 0);
        reader = dg_xnn_is_pointwise(&node) ? &readers.other : &readers.node;
        if (*reader)
            continue;
        *reader = dg_rows_int(&rows, 1);
        if (readers.node && readers.other)
            *DG_APPEND(*torn, *n) = readers;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_check_blob_pixel_scales(const struct dg_findings *found,
                                          struct dg_error *err)
{
    struct dg_xnn_pair *torn = NULL;
    size_t n = 0;
    enum dg_status status = read_torn(&torn, &n, found, err);

    if (!status)
        status = find_pairs(found, torn_sql, torn, n, err);
    free(torn);
    return status;
}
