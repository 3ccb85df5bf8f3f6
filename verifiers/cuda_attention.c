/* The memory that attention takes where it is decomposed. */
#include <stdlib.h>

#include "base/dtype.h"
#include "base/text.h"
#include "graph/cost_sizes.h"
#include "verifiers/cuda_parts.h"

/* clang-format off */

/* Queries and keys of calls that a partition of these backends, what they lowered, or an
 * unplanned graph holds, graph by graph. */
static const char calls_sql[] =
    "WITH call AS MATERIALIZED (SELECT n.id, n.graph_id FROM op CROSS JOIN node AS n"
    "   ON n.op_id = op.id WHERE op.name IN ('aten::scaled_dot_product_attention.default',"
    "    'aten::scaled_dot_product_attention') AND n.kind = 'call_function'),"
    " newest AS MATERIALIZED " DG_NEWEST_PLANS
    "SELECT call.id, call.graph_id, n.name, q.dtype, q.shape, k.shape"
    "  FROM call CROSS JOIN node AS n ON n.id = call.id"
    "  CROSS JOIN \"graph\" AS g ON g.id = call.graph_id"
    "  CROSS JOIN edge AS first ON first.dst = call.id AND first.pos = 0"
    "  CROSS JOIN node AS query ON query.id = first.src"
    "  CROSS JOIN value AS q ON q.id = query.value_id"
    "  CROSS JOIN edge AS second ON second.dst = call.id AND second.pos = 1"
    "  CROSS JOIN node AS keys ON keys.id = second.src"
    "  CROSS JOIN value AS k ON k.id = keys.value_id"
    " WHERE CASE WHEN g.kind = 'lowered' THEN EXISTS (SELECT 1 FROM delegate"
    "     WHERE graph_id = g.id AND backend IN " DG_AOTI ")"
    "   WHEN NOT EXISTS (SELECT 1 FROM partition WHERE part_run_id IN newest"
    "     AND graph_id = g.id AND backend IS NOT NULL) THEN 1"
    "   ELSE EXISTS (SELECT 1 FROM partition_node AS pn JOIN partition AS p"
    "     ON p.id = pn.partition_id AND p.part_run_id IN newest AND p.backend IN " DG_AOTI
    "     WHERE pn.node_id = call.id) END"
    " ORDER BY call.id";

/* clang-format on */

struct largest {
    int64_t node, graph, nbytes; /* nbytes -1: not known */
    int64_t n_calls;
    struct dg_writer message; /* about the largest */
};

/* The bytes of one score for each query and key; -1: not known. */
static int64_t bytes_of_scores(const struct dg_cost_sizes *sizes,
                               const struct dg_rows *row)
{
    const struct dg_dtype *dtype = dg_dtype_of_name(dg_rows_slice(row, 3));
    struct dg_size_list list = {0};
    int64_t nbytes = dtype && dtype->bytes ? dtype->bytes : -1;
    size_t rank;

    if (!dg_cost_sizes_parse(sizes, &list, dg_rows_slice(row, 4)))
        nbytes = -1;
    rank = list.n;
    if (!dg_cost_sizes_parse(sizes, &list, dg_rows_slice(row, 5)) || rank < 2 ||
        list.n < rank + 2)
        nbytes = -1;
    for (size_t i = 0; i < rank && nbytes >= 0; i++) {
        int64_t size = list.items[i + 1 < rank ? i : list.n - 2];

        nbytes = size < 0 || (size && nbytes > INT64_MAX / size) ? -1 : nbytes * size;
    }
    free(list.items);
    return nbytes;
}

static void count_call(struct largest *largest, const struct dg_cost_sizes *sizes,
                       const struct dg_rows *row)
{
    int64_t nbytes = bytes_of_scores(sizes, row);

    if (largest->n_calls++ && nbytes <= largest->nbytes)
        return;
    largest->node = dg_rows_int(row, 0);
    largest->nbytes = nbytes;
    largest->message.size = 0;
    dg_print(&largest->message, "the scores of %s (queries %s, keys %s) take ",
             dg_rows_text(row, 2), dg_rows_text(row, 4), dg_rows_text(row, 5));
    if (nbytes < 0)
        dg_print(&largest->message, "memory without a known bound");
    else
        dg_print(&largest->message, "%lld bytes", (long long)nbytes);
}

/* One finding for each graph. */
static enum dg_status find_largest(const struct dg_findings *found,
                                   struct largest *largest, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    if (largest->n_calls > 1)
        dg_print(&largest->message, "; %lld more %s like it, none of which takes more",
                 (long long)largest->n_calls - 1,
                 largest->n_calls == 2 ? "call" : "calls");
    if (largest->n_calls)
        status = dg_find(found,
                         &(struct dg_finding){
                             .node = largest->node,
                             .message = {largest->message.data, largest->message.size}},
                         err);
    largest->n_calls = 0;
    return status;
}

static enum dg_status find_calls(const struct dg_findings *found,
                                 struct dg_cost_sizes *sizes, struct dg_error *err)
{
    struct largest largest = {0};
    struct dg_rows rows;
    enum dg_status status = dg_rows_open(&rows, found->store, calls_sql, err);

    if (status)
        return status;
    while (!status && dg_rows_next(&rows)) {
        int64_t graph = dg_rows_int(&rows, 1);

        if (graph != largest.graph)
            status = find_largest(found, &largest, err);
        largest.graph = graph;
        dg_cost_sizes_of_graph(sizes, graph);
        count_call(&largest, sizes, &rows);
    }
    if (!status)
        status = find_largest(found, &largest, err);
    dg_writer_clear(&largest.message);
    return dg_rows_close(&rows, status, err);
}

enum dg_status dg_check_attention(const struct dg_findings *found, struct dg_error *err)
{
    struct dg_cost_sizes sizes = {0};
    enum dg_status status = dg_cost_sizes_begin(&sizes, found->store, err);

    if (!status)
        status = find_calls(found, &sizes, err);
    dg_cost_sizes_end(&sizes);
    return status;
}
