/* What inputs of a .pt2 are called: a user's by position, a weight by its target. Their
 * own names are the exporter's, and nothing depends on them. */
#include "base/text.h"
#include "diff/side.h"

static uint32_t word_of(struct dg_diff_side *side, const struct dg_rows *rows,
                        struct dg_writer *out)
{
    struct dg_text target = dg_rows_slice(rows, 1);

    out->size = 0;
    if (target.data) {
        dg_write_text(out, target);
        dg_print(out, " ");
        dg_write_text(out, dg_rows_slice(rows, 2));
    } else {
        dg_print(out, "input %s", dg_rows_text(rows, 3));
    }
    return dg_diff_word(side->words, dg_written(out));
}

static enum dg_status read_words(uint32_t *words, struct dg_diff_side *side,
                                 struct dg_error *err)
{
    struct dg_writer out = {0};
    struct dg_rows rows = dg_rows_all(
        side->store,
        "SELECT value_id, target, spec, row_number() OVER"
        "  (PARTITION BY graph_id, target IS NULL ORDER BY pos) - 1 FROM signature"
        " WHERE direction = 'input'",
        err);

    while (dg_rows_next(&rows)) {
        int64_t value = dg_rows_int_or(&rows, 0, 0);

        if (value > 0 && (size_t)value <= side->values->n_rows)
            words[value - 1] = word_of(side, &rows, &out);
    }
    dg_writer_clear(&out);
    return dg_rows_close(&rows, DG_OK, err);
}

/* Branches have no signature: their inputs come in order. */
enum dg_status dg_diff_read_inputs(struct dg_diff_side *side, struct dg_error *err)
{
    size_t n_values = side->values->n_rows;
    uint32_t *words = dg_alloc(&side->memory, n_values, sizeof(*words));
    uint32_t *counts = dg_alloc(&side->memory, side->n_graphs + 1, sizeof(*counts));
    enum dg_status status = read_words(words, side, err);

    for (uint32_t i = 0; !status && i < side->n_nodes; i++) {
        uint32_t value = side->model->nodes[i].value,
                 graph = side->model->nodes[i].graph;
        struct dg_diff_node *node = &side->nodes[i];

        if (node->kind != DG_NODE_PLACEHOLDER || graph > side->n_graphs)
            continue;
        if (value && value <= n_values && words[value - 1])
            node->name = words[value - 1];
        else
            node->name = dg_diff_word(
                side->words, dg_format(&side->memory, "input %u", counts[graph]++));
    }
    return status;
}
