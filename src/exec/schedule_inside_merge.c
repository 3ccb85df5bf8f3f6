/* What XNNPACK merges before it runs a graph, where that gives other codes than node by
 * node: optimize_common_subgraphs_merge_clamps() of its subgraph.c. */
#include <math.h>
#include <string.h>

#include "exec/schedule_inside_parts.h"
#include "formats/blob.h"

static bool is_clamp(const struct dg_inside_node *node)
{
    return dg_text_is(node->step.node.op, "Clamp");
}

/* Whose results its runtime bounds by itself. */
static bool has_bounds(const struct dg_inside_node *node)
{
    static const char *const kinds[] = {"AvgPooling2d",    "Conv2d",
                                        "ConvTranspose2d", "DepthwiseConv2d",
                                        "FullyConnected",  "MaxPooling2d"};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        if (dg_text_is(node->step.node.op, kinds[i]))
            return true;
    }
    return is_clamp(node);
}

static bool is_of_codes(const struct dg_xnn_operand *operand)
{
    return operand->quantized == DG_XNN_BY_TENSOR;
}

/* With equal grids it is the same whether codes are bounded before or behind. */
static bool moves_codes(const struct dg_xnn_operand *from,
                        const struct dg_xnn_operand *to)
{
    return is_of_codes(from) && is_of_codes(to) &&
           (from->scale != to->scale || from->zero_point != to->zero_point);
}

static double bounded(double value, const struct dg_xnn_step *by)
{
    return fmin(fmax(value, by->least), by->most);
}

/* What the first node makes in place of both. */
static const struct dg_xnn_step *merged_step(struct dg_inside_reading *reading,
                                             const struct dg_inside_node *first,
                                             const struct dg_xnn_step *clamp)
{
    struct dg_xnn_step *step = dg_alloc(dg_inside_memory(reading), 1, sizeof(*step));

    *step = first->step.merged ? *first->step.merged : first->step;
    step->least = bounded(step->least, clamp);
    step->most = bounded(step->most, clamp);
    step->outputs[0] = clamp->outputs[0];
    return step;
}

static void merge(struct dg_inside_reading *reading, struct dg_inside_node *first,
                  struct dg_inside_node *clamp)
{
    int begin = first->step.merged != NULL;
    int n = first->step.node.n_inputs - begin;

    if (n + 1 > DG_XNN_INPUTS)
        return;
    clamp->step.merged = merged_step(reading, first, &clamp->step);
    memcpy(clamp->inputs + 1, first->inputs + begin, (size_t)n * sizeof(uint32_t));
    memcpy(clamp->step.inputs + 1, first->step.inputs + begin,
           (size_t)n * sizeof(*clamp->step.inputs));
    clamp->step.node.n_inputs = n + 1;
    first->shown_only = true;
}

/* How often nodes and the caller read each value. */
static uint32_t *count_readers(const struct dg_inside *inside, struct dg_arena *memory)
{
    uint32_t *counts = dg_alloc(memory, inside->n_values + 1u, sizeof(*counts));

    for (uint32_t i = 0; i < inside->n_values; i++)
        counts[i] = (inside->values[i].flags & DG_BLOB_OUTPUT) != 0;
    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        for (int k = 0; k < inside->nodes[i].step.node.n_inputs; k++)
            counts[inside->nodes[i].inputs[k]]++;
    }
    return counts;
}

void dg_inside_merge(struct dg_inside_reading *reading)
{
    struct dg_inside *inside = reading->inside;
    struct dg_arena scratch = {0};
    uint32_t *counts = count_readers(inside, &scratch);

    for (uint32_t at = 0; at < inside->n_nodes && !inside->why; at++) {
        struct dg_inside_node *clamp = &inside->nodes[inside->order[at]];
        uint32_t read = clamp->inputs[0], writer;

        if (!is_clamp(clamp) || clamp->step.node.n_inputs != 1 ||
            clamp->step.n_outputs != 1 || counts[read] != 1)
            continue;
        writer = inside->values[read].writer;
        if (writer != DG_INSIDE_NONE && has_bounds(&inside->nodes[writer]) &&
            moves_codes(clamp->step.inputs[0], clamp->step.outputs[0]))
            merge(reading, &inside->nodes[writer], clamp);
    }
    dg_arena_clear(&scratch);
}
