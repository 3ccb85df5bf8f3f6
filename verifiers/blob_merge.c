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

/* Of two nodes, where the query says anything of them. */
static enum dg_status find(const struct dg_findings *found, struct dg_rows *rows,
                           int64_t node, int64_t other, struct dg_error *err)
{
    struct dg_finding finding = {0};
    enum dg_status status = DG_OK;

    dg_rows_bind_int(rows, 1, node);
    dg_rows_bind_int(rows, 2, other);
    if (dg_rows_next(rows)) {
        finding.method = dg_rows_int(rows, 0);
        finding.message = dg_rows_slice(rows, 1);
        finding.witness = dg_rows_slice(rows, 2);
        status = dg_find(found, &finding, err);
    }
    return status ? status : dg_rows_again(rows, err);
}

enum dg_status dg_check_blob_merged_clamp(const struct dg_findings *found,
                                          struct dg_error *err)
{
    struct dg_xnn_merges merges;
    struct dg_rows rows;
    enum dg_status status = dg_xnn_find_merges(&merges, found->store, 0, err);

    if (!status && merges.n_items) {
        rows = dg_rows_all(found->store, pool_sql, err);
        for (size_t i = 0; i < merges.n_items && !status; i++)
            status =
                find(found, &rows, merges.items[i].clamp, merges.items[i].first, err);
        status = dg_rows_close(&rows, status, err);
    }
    dg_xnn_merges_clear(&merges);
    return status;
}

static const char table_sql[] =
    "SELECT g.method_id, printf('%s: ten functions of codes follow one another, from "
    "%s to"
    " %s', g.path, n.name, last.name), json_array(n.name, last.name)"
    " FROM delegate_node AS n JOIN delegate_graph AS g ON g.id = n.graph_id"
    "  JOIN delegate_node AS last ON last.id = ?2 WHERE n.id = ?1";

enum dg_status dg_check_blob_long_chain(const struct dg_findings *found,
                                        struct dg_error *err)
{
    struct dg_xnn_merges merges;
    struct dg_rows rows;
    enum dg_status status = dg_xnn_find_merges(&merges, found->store, 0, err);

    if (!status && merges.n_tables) {
        rows = dg_rows_all(found->store, table_sql, err);
        for (size_t i = 0; i < merges.n_tables && !status; i++)
            status =
                find(found, &rows, merges.tables[i].first, merges.tables[i].last, err);
        status = dg_rows_close(&rows, status, err);
    }
    dg_xnn_merges_clear(&merges);
    return status;
}
