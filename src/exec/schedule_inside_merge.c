/* Nodes that XNNPACK makes one of (graph/xnnpack_merge.h), where that gives other codes
 * than one after the other. */
#include <math.h>
#include <string.h>

#include "base/sorted.h"
#include "exec/schedule_inside_parts.h"
#include "graph/xnnpack_merge.h"
#include "kernels/cpu/line.h"

/* The number in a constant of one element, whatever its grid. */
static bool number_of(double *number, const struct dg_inside_value *value)
{
    const struct dg_xnn_operand *operand = &value->operand;
    const struct dg_tensor *tensor =
        value->initial.kind == DG_ARG_TENSOR ? value->initial.as.tensor : NULL;

    if (!tensor || dg_tensor_count(tensor) != 1)
        return false;
    dg_load_f64(number, tensor->type, dg_tensor_data(tensor), 1, 1);
    if (operand->quantized == DG_XNN_BY_TENSOR)
        *number = (float)(*number - (double)operand->zero_point) * operand->scale;
    return true;
}

/* From where to where the node bounds what it reads; false: its bytes are not there. */
static bool bounds_of(double bounds[2], const struct dg_inside *inside,
                      const struct dg_inside_node *node)
{
    double number;

    bounds[0] = node->step.least;
    bounds[1] = node->step.most;
    if (dg_text_is(node->step.node.op, "Clamp"))
        return true;
    for (int k = 0; k < node->step.node.n_inputs; k++) {
        const struct dg_inside_value *value = &inside->values[node->inputs[k]];

        if (value->constant < 0)
            continue;
        if (!number_of(&number, value))
            return false;
        bounds[dg_text_is(node->step.node.op, "Minimum")] = number;
        return true;
    }
    return false;
}

static double bounded(double value, const double bounds[2])
{
    return fmin(fmax(value, bounds[0]), bounds[1]);
}

/* What the first node makes in place of both. */
static const struct dg_xnn_step *merged_step(struct dg_inside_reading *reading,
                                             const struct dg_inside_node *first,
                                             const struct dg_inside_node *clamp,
                                             const double bounds[2])
{
    struct dg_xnn_step *step = dg_alloc(dg_inside_memory(reading), 1, sizeof(*step));

    *step = first->step;
    step->least = bounded(step->least, bounds);
    step->most = bounded(step->most, bounds);
    step->outputs[0] = clamp->step.outputs[0];
    return step;
}

/* The clamp reads what the first does behind its own operand, which it waits for. */
static void merge(struct dg_inside_reading *reading, struct dg_inside_node *first,
                  struct dg_inside_node *clamp)
{
    int n = first->step.node.n_inputs;
    double bounds[2];

    if (n + 1 > DG_XNN_INPUTS)
        return;
    if (!bounds_of(bounds, reading->inside, clamp)) {
        dg_inside_refuse(reading, "a number that bounds codes is not in the files");
        return;
    }
    clamp->step.merged = merged_step(reading, first, clamp, bounds);
    if (reading->inside->values[clamp->inputs[0]].constant >= 0)
        clamp->inputs[0] = clamp->inputs[1];
    memcpy(clamp->inputs + 1, first->inputs, (size_t)n * sizeof(uint32_t));
    memcpy(clamp->step.inputs + 1, first->step.inputs,
           (size_t)n * sizeof(*clamp->step.inputs));
    clamp->step.node.n_inputs = n + 1;
    first->shown_only = true;
}

static int by_id(const void *key, const void *node)
{
    int64_t a = *(const int64_t *)key, b = ((const struct dg_inside_node *)node)->id;

    return (a > b) - (a < b);
}

static struct dg_inside_node *find_node(const struct dg_inside *inside, int64_t id)
{
    return dg_search(&id, inside->nodes, inside->n_nodes, sizeof(*inside->nodes),
                     by_id);
}

/* Its table gives other codes than a product, at ties. */
static void make_square(struct dg_inside_node *node)
{
    node->step.node.op = dg_text("Square");
    node->step.node.n_inputs = 1;
    node->step.kernel = dg_xnn_kernel(node->step.node.op);
}

static bool makes_codes(const struct dg_inside *inside)
{
    for (uint32_t i = 0; i < inside->n_nodes; i++) {
        const struct dg_xnn_step *step = &inside->nodes[i].step;

        if (step->n_outputs && step->outputs[0]->quantized == DG_XNN_BY_TENSOR)
            return true;
    }
    return false;
}

enum dg_status dg_inside_merge(struct dg_inside_reading *reading)
{
    struct dg_inside *inside = reading->inside;
    struct dg_xnn_merges merges = {0};
    enum dg_status status = DG_OK;

    if (!inside->why && makes_codes(inside))
        status = dg_xnn_find_merges(&merges, reading->maker->store, inside->graph_id,
                                    reading->maker->err);
    for (uint32_t i = 0; i < inside->n_nodes && merges.n_clamps; i++) {
        int64_t into = dg_xnn_merged_into(&merges, inside->nodes[i].id);

        if (into)
            merge(reading, find_node(inside, into), &inside->nodes[i]);
    }
    for (size_t i = 0; i < merges.n_squares; i++)
        make_square(find_node(inside, merges.squares[i]));
    dg_xnn_merges_clear(&merges);
    return status;
}
