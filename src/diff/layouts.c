/* How values of one type lie in memory, and on which device. */
#include "base/text.h"
#include "diff/finders.h"
#include "store/scan.h"

static void write_part(struct dg_writer *out, const char *what, struct dg_text text)
{
    if (!text.data)
        return;
    dg_write_text(out, dg_text(what));
    dg_write(out, " ", 1);
    dg_write_text(out, text);
    dg_write(out, " ", 1);
}

enum dg_status dg_diff_read_layouts(struct dg_diff_side *side, struct dg_error *err)
{
    struct dg_scan scan = dg_scan_all(
        side->store, "value", "id, kind, strides, dim_order, device", "id", err);
    struct dg_writer out = {0};

    side->layouts = dg_alloc(&side->memory, side->values->n_rows, sizeof(uint32_t));
    while (dg_scan_next(&scan)) {
        int64_t id = dg_scan_int(&scan, 0);

        if (id < 1 || (size_t)id > side->values->n_rows ||
            !dg_text_is(dg_scan_text(&scan, 1), "tensor"))
            continue;
        out.size = 0;
        write_part(&out, "strides", dg_scan_text(&scan, 2));
        write_part(&out, "dim order", dg_scan_text(&scan, 3));
        dg_write_text(&out, dg_scan_text(&scan, 4));
        side->layouts[id - 1] = dg_diff_word(side->words, dg_written(&out));
    }
    dg_writer_clear(&out);
    return dg_scan_close(&scan, DG_OK, err);
}

static void compare(struct dg_diffing *diffing, const uint32_t nodes[2],
                    const uint32_t values[2])
{
    const struct dg_diff_side *old = &diffing->sides[0], *new = &diffing->sides[1];
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
        if (!values[s] || values[s] > diffing->sides[s].values->n_rows)
            return;
    }
    word =
        dg_diff_word_in_old(diffing, graph->method_word, new->layouts[values[1] - 1]);
    if (old->layouts[values[0] - 1] == word)
        return;
    difference.old = dg_diff_text(old, old->layouts[values[0] - 1]);
    difference.new = dg_diff_text(new, word);
    dg_diff_add(diffing->diff, &difference);
}

/* Another shape has other strides: that is told already. */
static void compare_node(struct dg_diffing *diffing, uint32_t old, uint32_t new)
{
    const struct dg_model *models[2] = {diffing->sides[0].model,
                                        diffing->sides[1].model};
    uint32_t nodes[2] = {old, new}, a, b;

    if (diffing->sides[0].nodes[old].type != diffing->sides[1].nodes[new].type)
        return;
    if (!diffing->sides[0].is_pte) {
        compare(diffing, nodes,
                (uint32_t[]){models[0]->nodes[old].value, models[1]->nodes[new].value});
        return;
    }
    a = models[0]->operand_of[old];
    b = models[1]->operand_of[new];
    for (; a < models[0]->operand_of[old + 1] && b < models[1]->operand_of[new + 1];
         a++, b++) {
        if (models[0]->operands[a].access & models[1]->operands[b].access &
            DG_ACCESS_WRITE)
            compare(diffing, nodes,
                    (uint32_t[]){models[0]->operands[a].value,
                                 models[1]->operands[b].value});
    }
}

void dg_diff_layouts(struct dg_diffing *diffing)
{
    const struct dg_diff_side *sides = diffing->sides;

    if (sides[0].is_pte != sides[1].is_pte)
        return;
    for (uint32_t i = 0; i < sides[1].n_nodes; i++) {
        uint32_t other = diffing->alignment.others[1][i];

        if (other != DG_DIFF_ALONE && sides[1].nodes[i].place &&
            sides[0].nodes[other].op == sides[1].nodes[i].op)
            compare_node(diffing, other, i);
    }
}
