/* Which results of operators that may give a view are copies: reshape, to. */
#include "base/ops.h"
#include "graph/alias.h"
#include "graph/model.h"
#include "reports/sections/memory_parts.h"

/* The ids of such operators, as SQL lists them. */
static void list_ops(struct dg_writer *out, const struct dg_model *model)
{
    for (uint32_t i = 0; i < model->n_ops; i++) {
        if (model->ops[i].flags & DG_OP_VIEW &&
            dg_effect_of(model->ops[i].name) & DG_EFFECT_MAYBE)
            dg_print(out, "%s%u", out->size ? "," : "", i + 1);
    }
}

/* Another dtype, device or order of elements is that of a copy; so are rows that are
 * made of what lies apart. */
static bool is_copy(struct dg_rows *rows)
{
    struct dg_text from = dg_rows_slice(rows, 2), from_strides = dg_rows_slice(rows, 3);
    struct dg_text to = dg_rows_slice(rows, 4), to_strides = dg_rows_slice(rows, 5);

    if (dg_rows_int(rows, 1))
        return true;
    if (dg_text_equal(from, to))
        return !dg_text_equal(from_strides, to_strides);
    return dg_layout_scattered(from, from_strides) &&
           !dg_layout_scattered(to, to_strides);
}

enum dg_status dg_memory_copies(struct dg_store *store, int64_t graph,
                                dg_memory_copy_fn *visit, void *context,
                                struct dg_error *err)
{
    const struct dg_model *model;
    struct dg_writer ops = {0};
    struct dg_arena memory = {0};
    enum dg_status status = dg_model_read(&model, store, err);

    if (!status)
        list_ops(&ops, model);
    if (!status && ops.size) {
        const char *sql =
            dg_format(&memory,
                      "SELECT node.id, f.dtype IS NOT t.dtype OR f.device IS NOT"
                      "  t.device, f.shape, f.strides, t.shape, t.strides"
                      " FROM node JOIN edge ON dst = node.id AND pos = 0"
                      "  JOIN value AS f ON f.id = edge.value_id"
                      "  JOIN value AS t ON t.id = node.value_id"
                      " WHERE node.graph_id = ?1 AND op_id IN (%s)"
                      "  AND f.kind = 'tensor' AND t.kind = 'tensor'",
                      ops.data)
                .data;
        struct dg_rows rows = dg_rows_of(store, sql, graph, err);

        while (dg_rows_next(&rows)) {
            if (is_copy(&rows))
                visit(context, dg_rows_int(&rows, 0));
        }
        status = dg_rows_close(&rows, DG_OK, err);
    }
    dg_writer_clear(&ops);
    dg_arena_clear(&memory);
    return status;
}
