/* Values that are quantized when they are known, by slices with ranges of their own. */
#include <math.h>

#include "kernels/cpu/movement.h"
#include "kernels/cpu/quantize.h"
#include "kernels/xnnpack/xnnpack.h"

/* On the program's grid, or another one. */
struct grid {
    double times_range, near_tie;
};

/* One slice of floats: XNNPACK's quantization.h. */
static void quantize_slice(const double *values, int64_t n, const struct grid *grid,
                           int8_t *codes, float *scale, int32_t *zero_point)
{
    float least = 0, most = 0, times, low, high, zero;

    for (int64_t i = 0; i < n; i++) {
        least = fminf(least, (float)values[i] * (float)grid->times_range);
        most = fmaxf(most, (float)values[i] * (float)grid->times_range);
    }
    times = least == most ? 1 : 255 / (most - least);
    low = least * times;
    high = most * times;
    zero = (-128 + low) + (127 + high) > 0 ? -128 - low : 127 - high;
    *zero_point = (int32_t)rintf(fminf(fmaxf(zero, -128), 127));
    *scale = 1 / times;
    for (int64_t i = 0; i < n; i++) {
        float code = (float)dg_round_to_code((double)((float)values[i] * times),
                                             grid->near_tie) +
                     (float)*zero_point;

        codes[i] = (int8_t)fminf(fmaxf(code, -128), 127);
    }
}

static struct dg_tensor *make_item(struct dg_call *call, struct dg_arg *item,
                                   enum dg_type type, int rank, const int64_t *sizes)
{
    struct dg_tensor *tensor =
        dg_tensor_new(call->context->memory, type, rank, sizes, call->err);

    if (tensor)
        *item = dg_tensor_arg(tensor);
    return tensor;
}

static enum dg_status quantize_slices(struct dg_call *call, struct dg_tensor *in)
{
    int n_outer = in->rank - call->xnnpack->outputs[0]->n_inner;
    struct dg_arg *items = dg_give_list(call, 3);
    struct dg_tensor *codes, *scales, *zero_points;
    int64_t sizes[DG_RANK_MOST], n = 1, n_slices = 1;
    struct grid grid = {1 + call->context->wider, 0};

    if (!items || n_outer < 0)
        return items
                   ? dg_xnn_cannot(call, "its slices have more dimensions than it has")
                   : call->err->status;
    for (int i = 0; i < in->rank; i++) {
        sizes[i] = i < n_outer ? in->sizes[i] : 1;
        *(i < n_outer ? &n_slices : &n) *= in->sizes[i];
    }
    codes = make_item(call, &items[0], DG_TYPE_I8, in->rank, in->sizes);
    scales = make_item(call, &items[1], DG_TYPE_F32, in->rank, sizes);
    zero_points = make_item(call, &items[2], DG_TYPE_I32, in->rank, sizes);
    if (!codes || !scales || !zero_points)
        return call->err->status;
    if (!(call->context->wider > 0)) /* else all move, not those near a tie alone */
        grid.near_tie = dg_near_tie(call, 0, n * n_slices);
    for (int64_t i = 0; i < n_slices; i++)
        quantize_slice((double *)dg_tensor_data(in) + i * n, n, &grid,
                       (int8_t *)dg_tensor_data(codes) + i * n,
                       (float *)dg_tensor_data(scales) + i,
                       (int32_t *)dg_tensor_data(zero_points) + i);
    return DG_OK;
}

enum dg_status dg_xnn_quantize_when_known(struct dg_call *call)
{
    struct dg_tensor *in = dg_xnn_as_f64(call, dg_tensor_keep(dg_arg_tensor(call, 0)));
    enum dg_status status = in ? quantize_slices(call, in) : call->err->status;

    dg_tensor_drop(in);
    return status;
}
