/* What kernels of XNNPACK's nodes share, and the table of them. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"
#include "kernels/xnnpack/xnnpack.h"

struct dg_xnn_shape dg_xnn_shape_of(const struct dg_tensor *tensor)
{
    struct dg_xnn_shape shape = {.rank = tensor->rank <= DG_XNN_RANK ? tensor->rank : -1};

    for (int i = 0; i < shape.rank; i++)
        shape.sizes[i] = tensor->sizes[i];
    return shape;
}

enum dg_status dg_xnn_cannot(struct dg_call *call, const char *what)
{
    return dg_call_fail(call, DG_ERR_DEVICE, "%s", what);
}

/* The tensor of an input, which of a list are its codes. */
static const struct dg_tensor *tensor_of(const struct dg_arg *arg)
{
    if (arg->kind == DG_ARG_LIST && arg->as.list.n_items == 3)
        arg = &arg->as.list.items[0];
    return arg->kind == DG_ARG_TENSOR ? arg->as.tensor : NULL;
}

static bool is_as_declared(const struct dg_call *call, const struct dg_arg *arg,
                           const struct dg_xnn_operand *operand)
{
    const struct dg_tensor *tensor = tensor_of(arg);

    return tensor &&
           (arg->kind == DG_ARG_LIST) == (operand->quantized == DG_XNN_BY_SLICE) &&
           tensor->type == dg_kept_type(call->context, operand->type);
}

static bool sums_products(dg_kernel_fn *run)
{
    return run == dg_xnn_linear || run == dg_xnn_convolution ||
           run == dg_xnn_transposed_convolution;
}

/* Shapes that the runtime refuses are the program's mistake. */
static enum dg_status check(struct dg_call *call, const struct dg_xnn_node *node)
{
    struct dg_writer why = {0};
    struct dg_xnn_shape shape;
    enum dg_status status = DG_OK;

    if (!dg_xnn_infer(&shape, node, &why))
        status = dg_call_fail(call, DG_ERR_FORMAT, "%.*s", (int)dg_written(&why).size,
                              dg_written(&why).data);
    else if (shape.rank < 0)
        status = dg_xnn_cannot(call, "its numbers give no shape");
    dg_writer_clear(&why);
    return status;
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

        if (!is_as_declared(call, &call->args[i], operand) ||
            (call->args[i].kind == DG_ARG_LIST && !sums_products(step.kernel->run)))
            return dg_xnn_cannot(call, "an input has another type than the node");
        step.node.inputs[i] = operand->four_bits
                                  ? operand->shape
                                  : dg_xnn_shape_of(tensor_of(&call->args[i]));
    }
    status = check(call, &step.node);
    return status ? status : step.kernel->run(&inner);
}

static enum dg_status run(struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;

    if (call->n_args < step->kernel->n_inputs || call->n_args > DG_XNN_INPUTS ||
        !step->n_outputs ||
        (size_t)step->n_outputs > call->n_results)
        return dg_xnn_cannot(call, "it has not the inputs and outputs of its kind");
    return run_node(call);
}

const struct dg_xnn_kernel dg_xnn_kernels[] = {
#define KIND(name, function, n, tolerance)                                             \
    {{"xnnpack::" #name, run, NULL, false, DG_TOLERANCE_##tolerance, DG_TYPES_ANY,     \
      "XNNPACK"},                                                                      \
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

/* Two to a byte, the first one low. Of rows of an odd length the runtime reads one directly behind the
 * other, though the writer begins each with a whole byte: it computes with other weights
 * (rule blob/odd-row). */
static struct dg_tensor *unpacked(struct dg_call *call, const struct dg_tensor *packed,
                                  const struct dg_xnn_shape *shape)
{
    struct dg_tensor *codes = dg_tensor_new(call->context->memory, DG_TYPE_I8, shape->rank,
                                            shape->sizes, call->err);
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

struct dg_tensor *dg_xnn_centered(struct dg_call *call, size_t input)
{
    const struct dg_xnn_operand *operand = call->xnnpack->inputs[input];
    const struct dg_arg *arg = &call->args[input];
    struct dg_tensor *codes;

    if (arg->kind == DG_ARG_LIST)
        return less(call,
                    as_type(call, dg_tensor_keep(arg->as.list.items[0].as.tensor),
                            DG_TYPE_F64),
                    arg->as.list.items[2]);
    codes = operand->four_bits ? unpacked(call, arg->as.tensor, &operand->shape)
                               : dg_tensor_keep(arg->as.tensor);
    codes = as_type(call, codes, DG_TYPE_F64);
    if (operand->quantized != DG_XNN_BY_TENSOR || !operand->zero_point)
        return codes;
    return less(call, codes, dg_integer_arg(operand->zero_point));
}

static double clamped(const struct dg_xnn_step *step, double value)
{
    double above = value < step->least ? step->least : value;

    return above > step->most ? step->most : above;
}

enum dg_status dg_xnn_give_floats(struct dg_call *call, const struct dg_xnn_shape *shape,
                                  double *values)
{
    const struct dg_xnn_step *step = call->xnnpack;
    struct dg_tensor *out =
        dg_result(call, 0, step->outputs[0]->type, shape->rank, shape->sizes);
    int64_t n = out ? dg_tensor_count(out) : 0;

    for (int64_t i = 0; i < n; i++)
        values[i] = clamped(step, values[i]);
    if (out)
        dg_store_f64(out->type, dg_tensor_data(out), 1, values, n);
    return out ? DG_OK : call->err->status;
}

/* Elements that follow each other, in place. */
static void clamp_all(const struct dg_xnn_step *step, struct dg_tensor *tensor)
{
    enum { LINE = 512 };
    size_t bytes = dg_type_bytes(tensor->type);
    char *at = dg_tensor_data(tensor);
    double line[LINE];

    for (int64_t left = dg_tensor_count(tensor); left > 0; left -= LINE) {
        int64_t n = left < LINE ? left : LINE;

        dg_load_f64(line, tensor->type, at, 1, n);
        for (int64_t i = 0; i < n; i++)
            line[i] = clamped(step, line[i]);
        dg_store_f64(tensor->type, at, 1, line, n);
        at += (size_t)n * bytes;
    }
}

enum dg_status dg_xnn_give_tensor(struct dg_call *call, struct dg_tensor *tensor)
{
    const struct dg_xnn_step *step = call->xnnpack;
    struct dg_tensor *out;

    if (!tensor)
        return dg_xnn_finish(call, NULL);
    out = dg_result(call, 0, step->outputs[0]->type, tensor->rank, tensor->sizes);
    if (out)
        dg_copy_elements(out, tensor, call->context->n_threads);
    if (out && (isfinite(step->least) || isfinite(step->most)))
        clamp_all(step, out);
    dg_tensor_drop(tensor);
    return out ? DG_OK : call->err->status;
}

/* Half to even, cut to what a type holds; NaN, of which the file could say it, is 0. */
static double bound(double value, double otherwise, const struct dg_xnn_operand *operand)
{
    double code = rint(value / operand->scale + operand->zero_point);

    return isfinite(value) && isfinite(code) ? code : otherwise;
}

struct dg_xnn_range dg_xnn_codes_of(const struct dg_xnn_step *step)
{
    const struct dg_xnn_operand *out = step->outputs[0];
    double least = out->type == DG_TYPE_U8 ? 0 : -128, most = least + 255;
    struct dg_xnn_range range = {fmax(bound(step->least, least, out), least),
                                 fmin(bound(step->most, most, out), most),
                                 out->zero_point};

    return range;
}

int64_t dg_xnn_code(const struct dg_xnn_range *range, double value)
{
    double code = rint(value) + range->zero_point;

    if (isnan(code))
        code = 0;
    code = code < range->least ? range->least : code;
    return (int64_t)(code > range->most ? range->most : code);
}
