/* In which shapes the other program's steps read what they do: a node inside of a
 * delegate has sizes of 1 that the program has not, or the reverse. */
#include <string.h>

#include "exec/run_parts.h"

struct noting {
    struct dg_evaluation *evaluation;
    struct dg_tensor *shapes; /* NULL: only counted */
    size_t n;
};

static void note_shape(void *data, uint32_t slot)
{
    struct noting *noting = data;
    struct dg_tensor *shape = noting->shapes ? &noting->shapes[noting->n] : NULL;
    struct dg_arg value;

    noting->n++;
    if (!shape)
        return;
    *shape = (struct dg_tensor){.type = DG_TYPE_NONE};
    dg_evaluation_read(noting->evaluation, slot, &value);
    if (value.kind == DG_ARG_TENSOR) {
        shape->type = value.as.tensor->type;
        shape->rank = value.as.tensor->rank;
        memcpy(shape->sizes, value.as.tensor->sizes, sizeof(shape->sizes));
    }
    dg_arg_drop(&value);
}

void dg_note_shapes(struct dg_comparison *comparison, uint32_t i)
{
    struct dg_evaluation *evaluation = &comparison->evaluations[DG_EVALUATION_TESTED];
    const struct dg_step *step =
        &evaluation->machine.schedule->steps[comparison->matching.steps[i]];
    struct noting noting = {evaluation, comparison->read_shapes[i], 0};

    if (!dg_has_node_inside(comparison, i))
        return;
    if (!noting.shapes) {
        dg_step_reads(step, note_shape, &noting);
        noting.shapes =
            dg_alloc(&comparison->memory, noting.n + 1, sizeof(*noting.shapes));
        comparison->read_shapes[i] = noting.shapes;
        noting.n = 0;
    }
    dg_step_reads(step, note_shape, &noting);
}

/* Lowering may put sizes of 1 between others. Fills the strides of the other shape. */
static bool has_same_sizes(const struct dg_tensor *a, const struct dg_tensor *b,
                           int64_t strides[DG_RANK_MOST])
{
    int i = 0, k = 0;

    while (i < a->rank || k < b->rank) {
        if (i < a->rank && a->sizes[i] == 1)
            i++;
        else if (k < b->rank && b->sizes[k] == 1)
            strides[k++] = 1;
        else if (i < a->rank && k < b->rank && a->sizes[i] == b->sizes[k])
            strides[k++] = a->strides[i++];
        else
            return false;
    }
    return true;
}

void dg_take_shape(struct dg_arg *value, const struct dg_tensor *like)
{
    struct dg_tensor *tensor = value->as.tensor, *shaped;
    int64_t strides[DG_RANK_MOST];

    if (value->kind != DG_ARG_TENSOR || dg_tensor_same_shape(tensor, like) ||
        !has_same_sizes(tensor, like, strides))
        return;
    shaped = dg_tensor_view(tensor, like->rank, like->sizes, strides, tensor->offset);
    dg_arg_drop(value);
    *value = (struct dg_arg){DG_ARG_TENSOR, {.tensor = shaped}};
}

void dg_take_read_shape(const struct dg_comparison *comparison, uint32_t i, size_t read,
                        struct dg_arg *value)
{
    const struct dg_tensor *shapes = comparison->read_shapes[i];

    if (shapes && shapes[read].type != DG_TYPE_NONE)
        dg_take_shape(value, &shapes[read]);
}
