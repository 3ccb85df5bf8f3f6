/* Nodes that move elements, whatever they are. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/movement.h"
#include "kernels/xnnpack/xnnpack.h"

static struct dg_tensor *input(const struct dg_call *call)
{
    return dg_tensor_keep(dg_arg_tensor(call, 0));
}

enum dg_status dg_xnn_copy(struct dg_call *call)
{
    return dg_xnn_finish(call, dg_xnn_copied(call, input(call)));
}

/* XNNPACK's transpose of an empty tensor leaves the shape of its result as it was. */
enum dg_status dg_xnn_transpose(struct dg_call *call)
{
    const struct dg_xnn_shape *perm = &call->xnnpack->node.perm;
    const struct dg_tensor *from = dg_arg_tensor(call, 0);
    int order[DG_XNN_RANK];

    if (from && !dg_tensor_count(from))
        return dg_xnn_cannot(call, "the runtime gives no shape to what has no elements");
    for (int i = 0; i < perm->rank; i++)
        order[i] = (int)perm->sizes[i];
    return dg_xnn_finish(
        call, dg_xnn_copied(call, dg_xnn_permuted(input(call), perm->rank, order)));
}

enum dg_status dg_xnn_reshape(struct dg_call *call)
{
    const struct dg_xnn_shape *shape = &call->xnnpack->result;
    struct dg_tensor *copy = dg_xnn_copied(call, input(call));

    if (copy) {
        copy->rank = shape->rank;
        memcpy(copy->sizes, shape->sizes, sizeof(shape->sizes));
        dg_contiguous_strides(copy->rank, copy->sizes, copy->strides);
    }
    return dg_xnn_finish(call, copy);
}

/* From where on it is cut; an offset behind the end leaves nothing. */
enum dg_status dg_xnn_slice(struct dg_call *call)
{
    const struct dg_xnn_shape *shape = &call->xnnpack->result;
    const struct dg_tensor *whole = dg_arg_tensor(call, 0);
    struct dg_tensor *part;
    int64_t offset = whole->offset;

    for (int i = 0; i < shape->rank; i++) {
        int64_t begin = call->xnnpack->node.offsets.sizes[i];

        if (shape->sizes[i])
            offset += begin * whole->strides[i];
    }
    part = dg_tensor_view(whole, shape->rank, shape->sizes, whole->strides, offset);
    return dg_xnn_finish(call, dg_xnn_copied(call, part));
}

static struct dg_arg padding_value(const struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    const struct dg_xnn_operand *out = step->outputs[0];
    struct dg_xnn_range range = dg_xnn_codes_of(call);

    if (out->quantized != DG_XNN_BY_TENSOR)
        return dg_real_arg(step->real);
    range.zero_point = 0; /* added before rounding */
    return dg_integer_arg(
        dg_xnn_code(&range, (float)step->real / out->scale + (float)out->zero_point));
}

/* aten::constant_pad_nd has pairs from the last dimension on. */
enum dg_status dg_xnn_pad(struct dg_call *call)
{
    const struct dg_xnn_node *node = &call->xnnpack->node;
    struct dg_arg pads[2 * DG_XNN_RANK];
    struct dg_arg list = {DG_ARG_LIST, .as.list = {pads, 0}};
    int rank = node->inputs[0].rank;

    for (int i = rank; i-- > 0;) {
        pads[list.as.list.n_items++] = dg_integer_arg(node->before.sizes[i]);
        pads[list.as.list.n_items++] = dg_integer_arg(node->behind.sizes[i]);
    }
    return dg_xnn_finish(call, dg_apply(call, dg_cpu_constant_pad_nd, input(call),
                                        DG_REST(list, padding_value(call))));
}

enum dg_status dg_xnn_cat(struct dg_call *call)
{
    struct dg_arg tensors[DG_XNN_INPUTS], result = {0};
    struct dg_arg args[] = {
        {DG_ARG_LIST, .as.list = {tensors, call->n_args}},
        dg_integer_arg((int32_t)(uint32_t)call->xnnpack->node.axis),
    };
    struct dg_call join = {.op = call->op,
                           .args = args,
                           .n_args = 2,
                           .results = &result,
                           .n_results = 1,
                           .context = call->context,
                           .err = call->err};

    memcpy(tensors, call->args, call->n_args * sizeof(*tensors));
    if (dg_cpu_cat(&join)) {
        dg_arg_drop(&result);
        return call->err->status;
    }
    return dg_xnn_finish(call, result.as.tensor);
}
