/* What the runtime makes of nodes on codes, and does not survive or takes for other
 * codes. */
#include "graph/xnnpack_merge.h"
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
