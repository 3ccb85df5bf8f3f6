/* What kernels of XNNPACK's nodes share, and the table of them. */
#include <math.h>

#include "kernels/cpu/movement.h"
#include "kernels/xnnpack/products.h"

struct dg_xnn_shape dg_xnn_shape_of(const struct dg_tensor *tensor)
{
    struct dg_xnn_shape shape = {.rank =
                                     tensor->rank <= DG_XNN_RANK ? tensor->rank : -1};

    for (int i = 0; i < shape.rank; i++)
        shape.sizes[i] = tensor->sizes[i];
    return shape;
}

enum dg_status dg_xnn_cannot(struct dg_call *call, const char *what)
{
    return dg_call_fail(call, DG_ERR_DEVICE, "%s", what);
}

/* The tensor of an input, which of a list are its codes. */
static struct dg_tensor *tensor_of(const struct dg_arg *arg)
{
    if (arg->kind == DG_ARG_LIST && arg->as.list.n_items == 3)
        arg = &arg->as.list.items[0];
    return arg->kind == DG_ARG_TENSOR ? arg->as.tensor : NULL;
}

/* Two codes a byte, as many as the shape says. */
static bool is_packed(const struct dg_tensor *tensor, const struct dg_xnn_shape *shape)
{
    int64_t n;

    return shape->rank >= 0 && dg_tensor_contiguous(tensor) &&
           dg_shape_count(shape->rank, shape->sizes, DG_TYPE_I8, &n) &&
           dg_tensor_count(tensor) >= n / 2 + n % 2;
}

/* A list of codes, scales and zero points is one of each for each slice. */
static bool has_slices(const struct dg_arg *arg, int n_inner)
{
    static const enum dg_type types[] = {DG_TYPE_I8, DG_TYPE_F32, DG_TYPE_I32};
    const struct dg_arg *items = arg->as.list.items;
    int n_outer = tensor_of(arg)->rank - n_inner;

    for (int k = 0; k < 3; k++) {
        const struct dg_tensor *item =
            items[k].kind == DG_ARG_TENSOR ? items[k].as.tensor : NULL;

        if (!item || item->type != types[k] || item->rank != tensor_of(arg)->rank)
            return false;
        for (int i = 0; k && i < item->rank; i++) {
            if (item->sizes[i] != (i < n_outer ? tensor_of(arg)->sizes[i] : 1))
                return false;
        }
    }
    return true;
}

bool dg_xnn_has_filter(dg_kernel_fn *run)
{
    return run == dg_xnn_linear || run == dg_xnn_convolution ||
           run == dg_xnn_transposed_convolution;
}

bool dg_xnn_widens(const struct dg_xnn_step *step, size_t input)
{
    if (step->merged)
        return input && dg_xnn_widens(step->merged, input - 1);
    return input == DG_XNN_FILTER && dg_xnn_has_filter(step->kernel->run);
}

struct dg_linear dg_xnn_linear_in(const struct dg_xnn_step *step)
{
    const struct dg_xnn_operand *out = step->outputs[0];
    dg_kernel_fn *run = step->kernel->run;

    return (struct dg_linear){
        .known = !step->merged && step->n_outputs == 1 && out->type == DG_TYPE_F32 &&
                 !out->quantized && (run == dg_xnn_linear || run == dg_xnn_convolution),
        .convolves = run == dg_xnn_convolution,
        .input = DG_XNN_INPUT,
        .added = DG_XNN_BIAS,
    };
}

static bool is_as_declared(const struct dg_call *call, size_t input)
{
    const struct dg_arg *arg = &call->args[input];
    const struct dg_xnn_operand *operand = call->xnnpack->inputs[input];
    const struct dg_tensor *tensor = tensor_of(arg);

    return tensor && tensor->rank <= DG_XNN_RANK &&
           (arg->kind == DG_ARG_LIST) == (operand->quantized == DG_XNN_BY_SLICE) &&
           (tensor->type == dg_kept_type(call->context, operand->type) ||
            (dg_xnn_widens(call->xnnpack, input) && tensor->type == operand->type)) &&
           (arg->kind != DG_ARG_LIST || has_slices(arg, operand->n_inner)) &&
           (!operand->four_bits || is_packed(tensor, &operand->shape));
}

/* Codes that only some kernels take: those of a slice in what is multiplied, those of 4
 * bits in the constant that it is multiplied with. */
static bool takes(dg_kernel_fn *run, const struct dg_xnn_operand *operand, size_t input)
{
    if (operand->quantized == DG_XNN_BY_SLICE && (input || !dg_xnn_has_filter(run)))
        return false;
    return !operand->four_bits ||
           (input == 1 && operand->constant && run == dg_xnn_linear);
}

/* Shapes that the runtime refuses are the program's mistake. */
static enum dg_status find_result(struct dg_call *call, struct dg_xnn_step *step)
{
    struct dg_writer why = {0};
    enum dg_status status = DG_OK;
    int64_t n;

    if (!dg_xnn_infer(&step->result, &step->node, &why))
        status = dg_call_fail(call, DG_ERR_FORMAT, "%.*s", (int)dg_written(&why).size,
                              dg_written(&why).data);
    else if (step->result.rank < 0 ||
             !dg_shape_count(step->result.rank, step->result.sizes, DG_TYPE_F64, &n))
        status = dg_xnn_cannot(call, "its numbers give no shape");
    dg_writer_clear(&why);
    return status;
}

/* Padding that makes the result as large as the image, by strides. */
static void pad_same(int64_t size, int64_t window, int64_t apart, int64_t stride,
                     int64_t *before, int64_t *behind)
{
    int64_t total =
        ((size + stride - 1) / stride - 1) * stride + (window - 1) * apart + 1 - size;

    total = total > 0 ? total : 0;
    *before = total / 2;
    *behind = total - total / 2;
}

static int64_t least_1(int64_t number)
{
    return number > 0 ? number : 1;
}

static bool looks_at_windows(dg_kernel_fn *run)
{
    return run == dg_xnn_convolution || run == dg_xnn_average_pool ||
           run == dg_xnn_max_pool || run == dg_xnn_argmax_pool;
}

/* What windows of an image leave open: distances and padding. */
static void settle_windows(struct dg_xnn_node *node, dg_kernel_fn *run)
{
    enum { HEIGHT = 1, WIDTH = 2 };
    bool is_average = run == dg_xnn_average_pool;
    bool side_by_side = run == dg_xnn_argmax_pool;

    node->apart = is_average ? 1 : least_1(node->apart);
    node->aside = is_average ? 1 : least_1(node->aside);
    node->down = side_by_side ? node->height : node->down;
    node->across = side_by_side ? node->width : node->across;
    if (!(node->flags & DG_XNN_SAME_PADDING))
        return;
    pad_same(node->inputs[0].sizes[HEIGHT], node->height, node->apart, node->down,
             &node->pad_top, &node->pad_bottom);
    pad_same(node->inputs[0].sizes[WIDTH], node->width, node->aside, node->across,
             &node->pad_left, &node->pad_right);
}

static enum dg_status run_node(struct dg_call *call)
{
    struct dg_xnn_step step = *call->xnnpack;
    struct dg_call inner = *call;
    enum dg_status status;

    inner.xnnpack = &step;
    step.node.n_inputs = (int)call->n_args;
    for (size_t i = 0; i < call->n_args; i++) {
        const struct dg_xnn_operand *operand = step.inputs[i];

        if (!is_as_declared(call, i) || !takes(step.kernel->run, operand, i))
            return dg_xnn_cannot(call, "an input has another type than the node");
        step.node.inputs[i] = operand->four_bits
                                  ? operand->shape
                                  : dg_xnn_shape_of(tensor_of(&call->args[i]));
    }
    status = find_result(call, &step);
    if (status)
        return status;
    if (looks_at_windows(step.kernel->run))
        settle_windows(&step.node, step.kernel->run);
    return step.kernel->run(&inner);
}

/* Only a bias may be missing. */
static bool has_operands(const struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    size_t least = step->kernel->n_inputs;

    return call->n_args >= least &&
           call->n_args <= least + dg_xnn_has_filter(step->kernel->run) &&
           step->n_outputs && (size_t)step->n_outputs <= call->n_results;
}

static enum dg_status run(struct dg_call *call);

static enum dg_status run_merged(struct dg_call *call)
{
    struct dg_call inner = *call;

    inner.xnnpack = call->xnnpack->merged;
    inner.args = call->args + 1;
    inner.n_args = call->n_args - 1;
    return run(&inner);
}

static enum dg_status run(struct dg_call *call)
{
    if (call->xnnpack->merged && call->n_args)
        return run_merged(call);
    return has_operands(call)
               ? run_node(call)
               : dg_xnn_cannot(call, "it has not the inputs and outputs of its kind");
}

const struct dg_xnn_kernel dg_xnn_kernels[] = {
#define KIND(name, function, n, tolerance)                                             \
    {{"xnnpack::" #name, run, NULL, false, false, DG_TOLERANCE_##tolerance,            \
      DG_TYPES_ANY, "XNNPACK"},                                                        \
     dg_xnn_##function,                                                                \
     n},
#include "kernels/xnnpack/list.h"
#undef KIND
    {{NULL}, NULL, 0},
};

const struct dg_xnn_kernel *dg_xnn_kernel(struct dg_text kind)
{
    enum { PREFIX = 9 }; /* "xnnpack::" */

    for (const struct dg_xnn_kernel *row = dg_xnn_kernels; row->kernel.op; row++) {
        if (dg_text_is(kind, row->kernel.op + PREFIX))
            return row;
    }
    return NULL;
}

enum dg_status dg_xnn_finish(struct dg_call *call, struct dg_tensor *tensor)
{
    if (dg_give(call, 0, tensor))
        return DG_OK;
    return call->err->status ? call->err->status
                             : dg_xnn_cannot(call, "an input is no tensor");
}

static struct dg_tensor *as_type(struct dg_call *call, struct dg_tensor *tensor,
                                 enum dg_type type)
{
    return dg_apply(call, dg_cpu_to, tensor, DG_REST(dg_type_arg(type)));
}

struct dg_tensor *dg_xnn_as_float(struct dg_call *call, struct dg_tensor *tensor)
{
    return as_type(call, tensor, DG_TYPE_F32);
}

struct dg_tensor *dg_xnn_copied(struct dg_call *call, struct dg_tensor *tensor)
{
    return dg_apply(call, dg_cpu_clone, tensor, 0, NULL);
}

struct dg_tensor *dg_xnn_as_f64(struct dg_call *call, struct dg_tensor *tensor)
{
    const struct dg_storage *before = tensor ? tensor->storage : NULL;

    tensor = as_type(call, tensor, DG_TYPE_F64);
    return tensor && tensor->storage != before && dg_tensor_contiguous(tensor)
               ? tensor
               : dg_xnn_copied(call, tensor);
}

bool dg_xnn_has_nan(struct dg_call *call)
{
    struct dg_tensor *copy =
        dg_xnn_as_f64(call, dg_tensor_keep(dg_arg_tensor(call, 0)));
    const double *values = copy ? dg_tensor_data(copy) : NULL;
    bool found = false;

    for (int64_t i = 0, n = copy ? dg_tensor_count(copy) : 0; i < n; i++)
        found |= isnan(values[i]) != 0;
    dg_tensor_drop(copy);
    return found;
}

struct dg_tensor *dg_xnn_permuted(struct dg_tensor *tensor, int rank, const int *order)
{
    int64_t sizes[DG_XNN_RANK], strides[DG_XNN_RANK];
    struct dg_tensor *view;

    if (!tensor)
        return NULL;
    for (int i = 0; i < rank; i++) {
        sizes[i] = tensor->sizes[order[i]];
        strides[i] = tensor->strides[order[i]];
    }
    view = dg_tensor_view(tensor, rank, sizes, strides, tensor->offset);
    dg_tensor_drop(tensor);
    return view;
}

/* Two to a byte, the first one low. Of rows of an odd length the runtime reads one
 * directly behind the other, though the writer begins each with a whole byte: it
 * computes with other weights (rule blob/odd-row). */
static struct dg_tensor *unpacked(struct dg_call *call, const struct dg_tensor *packed,
                                  const struct dg_xnn_shape *shape)
{
    struct dg_tensor *codes = dg_tensor_new(call->context->memory, DG_TYPE_I8,
                                            shape->rank, shape->sizes, call->err);
    const uint8_t *from = dg_tensor_data(packed);
    int8_t *to = codes ? dg_tensor_data(codes) : NULL;

    for (int64_t i = 0, n = codes ? dg_tensor_count(codes) : 0; i < n; i++)
        to[i] = (int8_t)((i & 1 ? from[i / 2] >> 4 : from[i / 2] & 15) - 8);
    return codes;
}

struct dg_tensor *dg_xnn_slice_scales(struct dg_call *call, size_t input)
{
    return call->args[input].as.list.items[1].as.tensor;
}

static struct dg_tensor *less(struct dg_call *call, struct dg_tensor *codes,
                              struct dg_arg zero_point)
{
    return dg_apply(call, dg_cpu_sub, codes, DG_REST(zero_point));
}

struct dg_tensor *dg_xnn_codes(struct dg_call *call, size_t input)
{
    const struct dg_xnn_operand *operand = call->xnnpack->inputs[input];
    struct dg_tensor *codes = tensor_of(&call->args[input]);

    return operand->four_bits ? unpacked(call, codes, &operand->shape)
                              : dg_tensor_keep(codes);
}

struct dg_tensor *dg_xnn_centered(struct dg_call *call, size_t input)
{
    const struct dg_xnn_operand *operand = call->xnnpack->inputs[input];
    const struct dg_arg *arg = &call->args[input];
    struct dg_tensor *codes = as_type(call, dg_xnn_codes(call, input), DG_TYPE_F64);

    if (arg->kind == DG_ARG_LIST)
        return less(call, codes, arg->as.list.items[2]);
    if (operand->quantized != DG_XNN_BY_TENSOR || !operand->zero_point)
        return codes;
    return less(call, codes, dg_integer_arg(operand->zero_point));
}
