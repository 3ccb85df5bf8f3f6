/* How values of one type lie in memory, and on which device. */
#include "base/text.h"
#include "diff/finders.h"

struct layouts {
    uint32_t *words; /* of value row i + 1 */
    size_t n;
};

static enum dg_status read_layouts(struct layouts *layouts, struct dg_diffing *diffing,
                                   int side, struct dg_error *err)
{
    struct dg_rows rows =
        dg_rows_all(diffing->programs[side].store,
                    "SELECT id, coalesce('strides ' || strides || ' ', '') ||"
                    "  coalesce('dim order ' || dim_order || ' ', '') ||"
                    "  coalesce(device, '') FROM value WHERE kind = 'tensor'",
                    err);

    layouts->n = diffing->sides[side].values->n_rows;
    layouts->words = dg_alloc(&diffing->memory, layouts->n, sizeof(uint32_t));
    while (dg_rows_next(&rows)) {
        int64_t id = dg_rows_int(&rows, 0);

        if (id > 0 && (size_t)id <= layouts->n)
            layouts->words[id - 1] =
                dg_diff_word(&diffing->words, dg_rows_slice(&rows, 1));
    }
    return dg_rows_close(&rows, DG_OK, err);
}

static void compare(struct dg_diffing *diffing, const struct layouts layouts[2],
                    const uint32_t nodes[2], const uint32_t values[2])
{
    const struct dg_diff_side *new = &diffing->sides[1];
    const struct dg_diff_graph *graph =
        &new->graphs[new->model->nodes[nodes[1]].graph - 1];
    struct dg_difference difference = {.kind = DG_DIFF_VALUE,
                                       .change = DG_DIFF_CHANGED,
                                       .method = graph->method,
                                       .graph = graph->path,
                                       .module =
                                           dg_diff_text(new, new->nodes[nodes[1]].fqn),
                                       .name = new->names->items[nodes[1]],
                                       .node = nodes[1] + 1,
                                       .what = dg_text("layout")};
    uint32_t word;

    for (int s = 0; s < 2; s++) {
        if (!values[s] || values[s] > layouts[s].n)
            return;
    }
    word = dg_diff_word_in_old(diffing, graph->method_word,
                               layouts[1].words[values[1] - 1]);
    if (layouts[0].words[values[0] - 1] == word)
        return;
    difference.old = dg_diff_text(new, layouts[0].words[values[0] - 1]);
    difference.new = dg_diff_text(new, word);
    dg_diff_add(diffing->diff, &difference);
}

/* Another shape has other strides: that is told already. */
static void compare_node(struct dg_diffing *diffing, const struct layouts layouts[2],
                         uint32_t old, uint32_t new)
{
    const struct dg_model *models[2] = {diffing->sides[0].model,
                                        diffing->sides[1].model};
    uint32_t nodes[2] = {old, new}, a, b;

    if (diffing->sides[0].nodes[old].type != diffing->sides[1].nodes[new].type)
        return;
    if (!diffing->sides[0].is_pte) {
        compare(diffing, layouts, nodes,
                (uint32_t[]){models[0]->nodes[old].value, models[1]->nodes[new].value});
        return;
    }
    a = models[0]->operand_of[old];
    b = models[1]->operand_of[new];
    for (; a < models[0]->operand_of[old + 1] && b < models[1]->operand_of[new + 1];
         a++, b++) {
        if (models[0]->operands[a].access & models[1]->operands[b].access &
            DG_ACCESS_WRITE)
            compare(diffing, layouts, nodes,
                    (uint32_t[]){models[0]->operands[a].value,
                                 models[1]->operands[b].value});
    }
}

enum dg_status dg_diff_layouts(struct dg_diffing *diffing, struct dg_error *err)
{
    const struct dg_diff_side *sides = diffing->sides;
    struct layouts layouts[2];
    enum dg_status status = DG_OK;

    if (sides[0].is_pte != sides[1].is_pte)
        return DG_OK;
    for (int s = 0; s < 2 && !status; s++)
        status = read_layouts(&layouts[s], diffing, s, err);
    for (uint32_t i = 0; !status && i < sides[1].n_nodes; i++) {
        uint32_t other = diffing->alignment.others[1][i];

        if (other != DG_DIFF_ALONE && sides[1].nodes[i].place &&
            sides[0].nodes[other].op == sides[1].nodes[i].op)
            compare_node(diffing, layouts, other, i);
    }
    return status;
}
