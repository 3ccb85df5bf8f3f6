/* Rows of what a delegate computes. */
#include "diff/inside.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/sorted.h"
#include "formats/stored_tensor.h"

static const char nodes_sql[] =
    "SELECT n.id, n.name, op, json_patch(args, json_object('flags', nullif(flags, 0),"
    "  'output_min', CAST(output_min AS TEXT), 'output_max', CAST(output_max AS "
    "TEXT))),"
    "  path"
    " FROM delegate_node AS n JOIN delegate_graph AS g ON g.id = graph_id"
    " WHERE graph_id = ?1 ORDER BY n.id";

static const char operands_sql[] =
    "SELECT o.node_id, o.name, access = 'write', coalesce(datatype, 'no value')"
    "  || coalesce(' ' || v.shape, ''), quantization, v.node_id, external_id, c.key,"
    "  c.file_offset, c.nbytes, v.constant_idx FROM delegate_node AS n"
    " JOIN delegate_operand AS o ON o.node_id = n.id"
    " LEFT JOIN delegate_value AS v ON v.id = o.value_id"
    " LEFT JOIN delegate_constant AS c ON c.graph_id = n.graph_id"
    "  AND c.idx = v.constant_idx"
    " WHERE n.graph_id = ?1"
    " ORDER BY o.node_id, pos";

static int compare_ids(const void *item, const void *key)
{
    const struct dg_diff_node_inside *node = item;
    int64_t id = *(const int64_t *)key;

    return (node->id > id) - (node->id < id);
}

static struct dg_diff_node_inside *find(const struct dg_diff_inside *inside, int64_t id)
{
    size_t at = DG_SORTED_BEFORE(inside->nodes, inside->n_nodes, &id, compare_ids);

    return at < inside->n_nodes && inside->nodes[at].id == id ? &inside->nodes[at]
                                                              : NULL;
}

const struct dg_diff_node_inside *
dg_diff_maker(const struct dg_diff_inside *inside,
              const struct dg_diff_operand_inside *operand)
{
    return operand->made ? find(inside, operand->made) : NULL;
}

/* Constants may overlap: what all of them cost is bounded by the file. */
static bool spend(struct dg_diffing *diffing, int side, uint64_t bytes)
{
    uint64_t most = 4 * (uint64_t)diffing->programs[side].file.size;

    if (bytes > most - diffing->hashed[side])
        return false;
    diffing->hashed[side] += bytes;
    return true;
}

static struct dg_text constant_of(const struct dg_rows *rows,
                                  struct dg_diffing *diffing, int side)
{
    struct dg_bytes file = diffing->programs[side].file, bytes;

    if (!dg_rows_null(rows, 7))
        return dg_rows_keep(&diffing->memory, rows, 7);
    if (dg_rows_null(rows, 8) || !file.data ||
        !dg_stored_bytes(file, dg_rows_int(rows, 8), dg_rows_int_or(rows, 9, -1),
                         &bytes) ||
        !spend(diffing, side, bytes.size))
        return (struct dg_text){0};
    return dg_xxh3(bytes, &diffing->memory);
}

static enum dg_status read_nodes(struct dg_diff_inside *inside, struct dg_store *store,
                                 int64_t graph, struct dg_arena *memory,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, nodes_sql, graph, err);

    while (dg_rows_next(&rows)) {
        *DG_APPEND(inside->nodes, inside->n_nodes) =
            (struct dg_diff_node_inside){.id = dg_rows_int(&rows, 0),
                                         .name = dg_rows_keep(memory, &rows, 1),
                                         .op = dg_rows_keep(memory, &rows, 2),
                                         .args = dg_rows_keep(memory, &rows, 3)};
        if (!inside->path.data)
            inside->path = dg_rows_keep(memory, &rows, 4);
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static enum dg_status read_operands(struct dg_diff_inside *inside,
                                    struct dg_diffing *diffing, int side, int64_t graph,
                                    struct dg_error *err)
{
    struct dg_arena *memory = &diffing->memory;
    struct dg_rows rows =
        dg_rows_of(diffing->programs[side].store, operands_sql, graph, err);

    while (dg_rows_next(&rows)) {
        struct dg_diff_node_inside *node = find(inside, dg_rows_int(&rows, 0));
        struct dg_diff_operand_inside *operand;

        if (!node)
            continue;
        if (!node->n_operands++)
            node->first = inside->n_operands;
        operand = DG_APPEND(inside->operands, inside->n_operands);
        *operand = (struct dg_diff_operand_inside){
            .name = dg_rows_keep(memory, &rows, 1),
            .type = dg_rows_keep(memory, &rows, 3),
            .quantization = dg_rows_keep(memory, &rows, 4),
            .constant = constant_of(&rows, diffing, side),
            .made = dg_rows_int(&rows, 5),
            .external = dg_rows_int_or(&rows, 6, -1),
            .written = dg_rows_int(&rows, 2) != 0,
        };
        inside->lacks |= !dg_rows_null(&rows, 10) && !operand->constant.data;
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_diff_inside_read(struct dg_diff_inside **inside,
                                   struct dg_diffing *diffing, int side, int64_t graph,
                                   struct dg_error *err)
{
    struct dg_diff_inside *read = dg_alloc(&diffing->memory, 1, sizeof(*read));
    enum dg_status status;

    read->next = diffing->insides;
    diffing->insides = *inside = read;
    status =
        read_nodes(read, diffing->programs[side].store, graph, &diffing->memory, err);
    return status ? status : read_operands(read, diffing, side, graph, err);
}

void dg_diff_insides_clear(struct dg_diffing *diffing)
{
    for (struct dg_diff_inside *inside = diffing->insides; inside;
         inside = inside->next) {
        free(inside->nodes);
        free(inside->operands);
    }
    diffing->insides = NULL;
}
