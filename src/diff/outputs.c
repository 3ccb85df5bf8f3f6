/* What methods of a .pte give back: which value each output is. */
#include <stdlib.h>

#include "base/text.h"
#include "diff/finders.h"
#include "diff/told.h"

/* Of a side: what it names and reads is row n_nodes + number. */
static struct dg_difference output_of(struct dg_diffing *diffing, uint32_t number)
{
    const struct dg_diff_side *of = &diffing->sides[1];
    const struct dg_diff_output *output = &of->outputs[number];
    const struct dg_diff_graph *graph = &of->graphs[output->graph - 1];

    return (struct dg_difference){
        .kind = DG_DIFF_SIGNATURE,
        .change = DG_DIFF_CHANGED,
        .method = graph->method,
        .graph = graph->path,
        .name = dg_format(&diffing->memory, "output %u", output->pos),
    };
}

static void compare(struct dg_diffing *diffing, uint32_t old, uint32_t new)
{
    const struct dg_diff_side *sides = diffing->sides;
    struct dg_difference difference = output_of(diffing, new);
    uint32_t rows[] = {sides[0].n_nodes + old, sides[1].n_nodes + new};
    uint32_t a = sides[0].outputs[old].args, b = sides[1].outputs[new].args;
    bool differs;

    if (a != b) {
        difference.what = dg_text("value");
        difference.old = dg_diff_text(&sides[0], a);
        difference.new = dg_diff_text(&sides[1], b);
        differs = !dg_diff_told_by_makers(diffing, rows[0], rows[1], difference.old,
                                          difference.new);
    } else {
        differs = dg_diff_reads_other(diffing, rows[0], rows[1], &difference) ||
                  dg_diff_names_other(diffing, rows[0], rows[1], &difference);
    }
    if (differs)
        dg_diff_add(diffing->diff, &difference);
}

/* Where the outputs of a graph begin, by the word of its place: number + 1. */
static uint32_t *begins_of(const struct dg_diff_side *side)
{
    uint32_t *begins = dg_zeroed(side->words->set.n_texts, sizeof(*begins));

    for (uint32_t i = (uint32_t)side->n_outputs; i--;)
        begins[side->outputs[i].place] = i + 1;
    return begins;
}

/* How many there are is told by the rows of the signature. */
void dg_diff_pair_outputs(struct dg_diffing *diffing)
{
    const struct dg_diff_side *old = &diffing->sides[0], *new = &diffing->sides[1];
    uint32_t *begins = begins_of(old);

    diffing->outputs = dg_alloc(&diffing->memory, new->n_outputs, sizeof(uint32_t));
    for (uint32_t i = 0; i < new->n_outputs; i++) {
        uint32_t place = new->outputs[i].place, found = begins[place];
        bool has =
            found && found <= old->n_outputs && old->outputs[found - 1].place == place;

        diffing->outputs[i] = has ? found - 1 : DG_DIFF_ALONE;
        begins[place] += has;
    }
    free(begins);
}

void dg_diff_outputs(struct dg_diffing *diffing)
{
    for (uint32_t i = 0; i < diffing->sides[1].n_outputs; i++) {
        if (diffing->outputs[i] != DG_DIFF_ALONE)
            compare(diffing, diffing->outputs[i], i);
    }
}
