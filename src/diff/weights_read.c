/* Reading weights: where their bytes are, and a digest of them wherever there can be
 * one.
 */
#include "base/hash.h"
#include "base/text.h"
#include "diff/weights.h"
#include "formats/stored_tensor.h"

enum column {
    METHOD,
    NAME,
    TYPE,
    SHAPE,
    STRIDES,
    DIGEST,
    NBYTES,
    FILE_OFFSET,
    STORAGE_OFFSET,
    KEYED,
    ID,
    ENTRY,
    ENTRY_BYTES,
    ENTRY_DIGEST,
    ROLE,
    READER,
};

/* What the first node inside of a delegate that reads a key takes it for. */
#define USED_SQL                                                                       \
    "SELECT key, type, dims, role, reader, min(node) FROM (SELECT c.key AS key,"       \
    "  v.dtype AS type, v.shape AS dims, n.op || ' ' || o.name || ' ' || v.datatype"   \
    "   AS role, g.path || '/' || n.name || ' ' || o.name AS reader, n.id AS node"     \
    " FROM delegate_constant AS c JOIN delegate_value AS v ON v.graph_id = c.graph_id" \
    "  AND v.constant_idx = c.idx JOIN delegate_operand AS o ON o.value_id = v.id"     \
    "  JOIN delegate_node AS n ON n.id = o.node_id"                                    \
    "  JOIN delegate_graph AS g ON g.id = n.graph_id"                                  \
    " WHERE c.key NOTNULL AND o.access = 'read'"                                       \
    " UNION ALL SELECT c.key, NULL, NULL, 'scales ' || n.op || ' ' || o.name,"         \
    "  g.path || '/' || n.name || ' scales of ' || o.name, n.id"                       \
    " FROM delegate_value AS v JOIN delegate_constant AS c ON c.graph_id = v.graph_id" \
    "  AND c.idx = json_extract(v.quantization, '$.scale_constant')"                   \
    "  JOIN delegate_operand AS o ON o.value_id = v.id AND o.access = 'read'"          \
    "  JOIN delegate_node AS n ON n.id = o.node_id"                                    \
    "  JOIN delegate_graph AS g ON g.id = v.graph_id"                                  \
    " WHERE c.key NOTNULL) GROUP BY key"

/* A mutable buffer of a .pte that has no type is a place that the format reserves. Of
 * segments with one number the first counts. */
static const char weights_sql[] =
    "SELECT method.name, fqn, dtype, shape, strides, constant.xxh3, nbytes,"
    "  constant.file_offset, storage_offset, 0, constant.id, segment.idx,"
    "  segment.size_bytes, segment.xxh3, NULL, NULL FROM constant"
    "  LEFT JOIN method ON method.id = method_id"
    "  LEFT JOIN segment ON segment.id = segment_id"
    " WHERE constant.kind <> 'reserved'"
    " UNION ALL SELECT NULL, named_data.key, coalesce(dtype, used.type), coalesce(shape, used.dims),"
    "  dim_order, digest, size_bytes, place, 0, 1, 0, NULL, NULL, NULL, used.role,"
    "  used.reader FROM named_data LEFT JOIN"
    "  (SELECT artifact_id AS owner, idx AS number, xxh3 AS digest,"
    "    file_offset AS place, min(id) FROM segment GROUP BY artifact_id, idx)"
    "  ON owner = artifact_id AND number = segment_idx"
    "  LEFT JOIN (" USED_SQL ") AS used ON used.key = named_data.key";

/* Bytes of what is compressed, and a digest where the store has none. An entry of a
 * .pt2 may hold several tensors: then only that all are the same can be seen. */
static void find_bytes(struct dg_diff_weight *weight, const struct dg_rows *rows,
                       struct dg_diffing *diffing, int side)
{
    int64_t entry_bytes = dg_rows_int_or(rows, ENTRY_BYTES, -1);
    struct dg_bytes entry;

    if (weight->digest.data || entry_bytes < 0)
        return;
    weight->shared = weight->nbytes != entry_bytes;
    weight->digest = dg_rows_keep(&diffing->memory, rows, ENTRY_DIGEST);
    if (weight->digest.data)
        return;
    entry = dg_diff_entry(&diffing->entries[side], dg_rows_int_or(rows, ENTRY, -1),
                          entry_bytes);
    if (!entry.data)
        return;
    weight->digest = dg_xxh3(entry, &diffing->memory);
    if (!weight->shared)
        weight->bytes = entry;
}

static void read_one(struct dg_diff_weights *weights, const struct dg_rows *rows,
                     struct dg_diffing *diffing, int side)
{
    struct dg_arena *memory = &diffing->memory;
    struct dg_text method = dg_rows_keep(memory, rows, METHOD);
    struct dg_diff_weight *weight;
    struct dg_bytes file = diffing->programs[side].file;

    if (method.data && !dg_diff_has_method(diffing, method))
        return;
    weight = DG_APPEND(weights->items, weights->n_items);
    *weight = (struct dg_diff_weight){
        .method = method,
        .name = dg_rows_keep(memory, rows, NAME),
        .type = dg_rows_keep(memory, rows, TYPE),
        .shape = dg_rows_keep(memory, rows, SHAPE),
        .strides = dg_rows_keep(memory, rows, STRIDES),
        .digest = dg_rows_keep(memory, rows, DIGEST),
        .nbytes = dg_rows_int_or(rows, NBYTES, -1),
        .storage_offset = dg_rows_int_or(rows, STORAGE_OFFSET, 0),
        .keyed = dg_rows_int(rows, KEYED) != 0,
        .role = dg_rows_keep(memory, rows, ROLE),
        .reader = dg_rows_keep(memory, rows, READER),
        .id = dg_rows_int(rows, ID),
    };
    if (file.data)
        dg_stored_bytes(file, dg_rows_int_or(rows, FILE_OFFSET, -1), weight->nbytes,
                        &weight->bytes);
    find_bytes(weight, rows, diffing, side);
}

enum dg_status dg_diff_weights_read(struct dg_diff_weights *weights,
                                    struct dg_diffing *diffing, int side,
                                    struct dg_error *err)
{
    struct dg_rows rows = dg_rows_all(diffing->programs[side].store, weights_sql, err);

    while (dg_rows_next(&rows))
        read_one(weights, &rows, diffing, side);
    return dg_rows_close(&rows, DG_OK, err);
}
