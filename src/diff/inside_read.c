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
    " WHERE graph_id = (SELECT inside_id FROM delegate WHERE id = ?1) ORDER BY n.id";

static const char operands_sql[] =
    "SELECT o.node_id, o.name, access = 'write', coalesce(datatype, 'no value')"
    "  || coalesce(' ' || v.shape, ''), quantization, v.node_id, external_id, c.key,"
    "  c.file_offset, c.nbytes FROM delegate_node AS n"
    " JOIN delegate_operand AS o ON o.node_id = n.id"
    " LEFT JOIN delegate_value AS v ON v.id = o.value_id"
    " LEFT JOIN delegate_constant AS c ON c.graph_id = n.graph_id"
    "  AND c.idx = v.constant_idx"
    " WHERE n.graph_id = (SELECT inside_id FROM delegate WHERE id = ?1)"
    " ORDER BY o.node_id, pos";

static int compare_ids(const void *item, const void *key)
{
    const struct dg_diff_node_inside *node = item;
    int64_t id = *(const int64_t *)key;

    return (node->id > id) - (node->id < id);
}

const struct dg_diff_node_inside *
dg_diff_inside_find(const struct dg_diff_inner *inside, int64_t id)
{
    size_t at = DG_SORTED_BEFORE(inside->nodes, inside->n_nodes, &id, compare_ids);

    return at < inside->n_nodes && inside->nodes[at].id == id ? &inside->nodes[at]
                                                              : NULL;
}

/* What tells the bytes of a constant: its key, or a digest of what lies in the blob. */
static struct dg_text constant_of(const struct dg_rows *rows, struct dg_bytes file,
                                  struct dg_arena *memory)
{
    struct dg_bytes bytes;

    if (!dg_rows_null(rows, 7))
        return dg_rows_keep(memory, rows, 7);
    if (dg_rows_null(rows, 8) || !file.data ||
        !dg_stored_bytes(file, dg_rows_int(rows, 8), dg_rows_int_or(rows, 9, -1),
                         &bytes))
        return (struct dg_text){0};
    return dg_xxh3(bytes, memory);
}

static enum dg_status read_nodes(struct dg_diff_inner *inside, struct dg_store *store,
                                 int64_t delegate, struct dg_arena *memory,
                                 struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(store, nodes_sql, delegate, err);

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

static enum dg_status read_operands(struct dg_diff_inner *inside,
                                    const struct dg_diff_program *program,
                                    int64_t delegate, struct dg_arena *memory,
                                    struct dg_error *err)
{
    struct dg_rows rows = dg_rows_of(program->store, operands_sql, delegate, err);

    while (dg_rows_next(&rows)) {
        struct dg_diff_node_inside *node =
            (struct dg_diff_node_inside *)dg_diff_inside_find(inside,
                                                              dg_rows_int(&rows, 0));

        if (!node)
            continue;
        if (!node->n_operands++)
            node->first = inside->n_operands;
        *DG_APPEND(inside->operands, inside->n_operands) =
            (struct dg_diff_operand_inside){
                .name = dg_rows_keep(memory, &rows, 1),
                .type = dg_rows_keep(memory, &rows, 3),
                .quantization = dg_rows_keep(memory, &rows, 4),
                .constant = constant_of(&rows, program->file, memory),
                .made = dg_rows_int(&rows, 5),
                .external = dg_rows_int_or(&rows, 6, -1),
                .written = dg_rows_int(&rows, 2) != 0,
            };
    }
    return dg_rows_close(&rows, DG_OK, err);
}

enum dg_status dg_diff_inside_read(struct dg_diff_inner *inside,
                                   const struct dg_diff_program *program,
                                   int64_t delegate, struct dg_arena *memory,
                                   struct dg_error *err)
{
    enum dg_status status = read_nodes(inside, program->store, delegate, memory, err);

    return status ? status : read_operands(inside, program, delegate, memory, err);
}

void dg_diff_inside_clear(struct dg_diff_inner *inside)
{
    free(inside->nodes);
    free(inside->operands);
}
