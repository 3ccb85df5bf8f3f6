/* Results of XNNPACK's nodes: as floats within a range, or as codes. */
#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/quantize.h"
#include "kernels/cpu/walk.h"
#include "kernels/xnnpack/xnnpack.h"

#include "kernels/cpu/vectorize.h"

static double cut(double value, double least, double most)
{
    double above = value < least ? least : value;

    return above > most ? most : above;
}

/* Bounds that are infinite bound nothing, but in sums of products of F16 and averages,
 * which end in a clamp all the same: there x86 loses NaN, in F32 other nodes keep it.
 */
static bool loses_nan(const struct dg_xnn_step *step)
{
    dg_kernel_fn *run = step->kernel->run;
    bool is_bounded = isfinite(step->least) || isfinite(step->most);

    return run == dg_xnn_average_pool ||
           (step->inputs[0]->type == DG_TYPE_F16 &&
            (is_bounded || run == dg_xnn_product || dg_xnn_has_filter(run)));
}

double dg_xnn_of_nan(const struct dg_xnn_step *step)
{
    return loses_nan(step) ? step->least : NAN;
}

static void cut_all(const struct dg_xnn_step *step, double *values, int64_t n)
{
    double least = step->least, most = step->most, of_nan = dg_xnn_of_nan(step);

    for (int64_t i = 0; i < n; i++) {
        double value = cut(values[i], least, most);

        values[i] = value == value ? value : of_nan;
    }
}

enum dg_status dg_xnn_give_floats(struct dg_call *call,
                                  const struct dg_xnn_shape *shape, double *values)
{
    const struct dg_xnn_step *step = call->xnnpack;
    struct dg_tensor *out =
        dg_result(call, 0, step->outputs[0]->type, shape->rank, shape->sizes);
    int64_t n = out ? dg_tensor_count(out) : 0;

    cut_all(step, values, n);
    if (out)
        dg_store_f64(out->type, dg_tensor_data(out), 1, values, n);
    return out ? DG_OK : call->err->status;
}

void dg_xnn_clamp(const struct dg_xnn_step *step, struct dg_tensor *tensor)
{
    enum { LINE = 512 };
    size_t bytes = dg_type_bytes(tensor->type);
    char *at = dg_tensor_data(tensor);
    double line[LINE];

    if (!isfinite(step->least) && !isfinite(step->most) && !loses_nan(step))
        return;
    for (int64_t left = dg_tensor_count(tensor); left > 0; left -= LINE) {
        int64_t n = left < LINE ? left : LINE;

        dg_load_f64(line, tensor->type, at, 1, n);
        cut_all(step, line, n);
        dg_store_f64(tensor->type, at, 1, line, n);
        at += (size_t)n * bytes;
    }
}

/* Nobody else has its elements, and they are what the node gives. */
static bool is_result(const struct dg_call *call, const struct dg_tensor *tensor)
{
    enum dg_type type = call->xnnpack->outputs[0]->type;

    return tensor->type == dg_kept_type(call->context, type) && tensor->holders == 1 &&
           tensor->storage->holders == 1 && tensor->storage->memory &&
           dg_tensor_contiguous(tensor);
}

static struct dg_tensor *converted(struct dg_call *call, struct dg_tensor *tensor)
{
    enum dg_type type = dg_kept_type(call->context, call->xnnpack->outputs[0]->type);
    struct dg_tensor *copy = dg_tensor_new(call->context->memory, type, tensor->rank,
                                           tensor->sizes, call->err);

    if (copy)
        dg_copy_elements(copy, tensor, call->context->n_threads);
    dg_tensor_drop(tensor);
    return copy;
}

enum dg_status dg_xnn_give_tensor(struct dg_call *call, struct dg_tensor *tensor)
{
    if (tensor && !is_result(call, tensor))
        tensor = converted(call, tensor);
    if (tensor)
        dg_xnn_clamp(call->xnnpack, tensor);
    return dg_xnn_finish(call, tensor);
}

/* A bound of results as a code, in f32 as the runtime says it. */
static double bound(double value, double otherwise,
                    const struct dg_xnn_operand *operand)
{
    float code = rintf((float)value / operand->scale + (float)operand->zero_point);

    return isfinite(value) && isfinite(code) ? (double)code : otherwise;
}

/* As declared: of sizes that may be smaller the most. */
static int64_t count_of(const struct dg_xnn_shape *shape)
{
    int64_t n = 1;

    for (int i = 0; i < shape->rank; i++) {
        if (__builtin_mul_overflow(n, shape->sizes[i], &n))
            return INT64_MAX;
    }
    return n;
}

struct dg_xnn_range dg_xnn_codes_of(const struct dg_call *call)
{
    const struct dg_xnn_step *step = call->xnnpack;
    const struct dg_xnn_operand *out = step->outputs[0];
    double least = out->type == DG_TYPE_U8 ? 0 : -128, most = least + 255;
    int64_t n = count_of(&out->shape);

    return (struct dg_xnn_range){
        cut(bound(step->least, least, out), least, most),
        cut(bound(step->most, most, out), least, most), out->zero_point,
        call->context->wider > 0 ? dg_near_tie(call, 0, n) : 0};
}

int64_t dg_xnn_code(const struct dg_xnn_range *range, double value)
{
    double code = dg_round_to_code(value, range->near_tie) + range->zero_point;

    return (int64_t)cut(isnan(code) ? 0 : code, range->least, range->most);
}
