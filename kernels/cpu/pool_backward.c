/* Gradients of pooling: what each output has goes to the elements of its window. */
#include <string.h>

#include "kernels/cpu/parallel.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/window.h"

struct gradient {
    struct dg_planes planes;
    struct dg_window_axis axes[DG_SPACE_MOST];
    const double *in;       /* of the outputs */
    const int64_t *indices; /* of the largest elements; NULL: averages */
    double *out;            /* sums, of the inputs */
    bool count_padding;
    int64_t divisor; /* 0: the size of the window */
};

static void spread_average(const struct gradient *g, int64_t o, double value,
                           double *plane)
{
    struct dg_span spans[DG_SPACE_MOST];
    int64_t size;

    for (int i = DG_SPACE_MOST - 1; i >= 0; i--) {
        spans[i] = dg_window(&g->axes[i], o % g->planes.out[i]);
        o /= g->planes.out[i];
    }
    size = g->divisor ? g->divisor : dg_window_size(spans, g->count_padding);
    DG_EACH_ELEMENT(spans, g->planes, row, x)
    plane[row + x] += value / (double)size;
}

static void spread_planes(void *data, int64_t from, int64_t to)
{
    const struct gradient *g = data;
    int64_t count = g->planes.out_count;

    for (int64_t i = from * count; i < to * count; i++) {
        double *plane = g->out + i / count * g->planes.in_count;

        if (g->indices)
            plane[g->indices[i]] += g->in[i];
        else
            spread_average(g, i % count, g->in[i], plane);
    }
}

static enum dg_status check_indices(struct dg_call *call, const struct gradient *g)
{
    for (int64_t i = 0; g->indices && i < g->planes.n * g->planes.out_count; i++) {
        if (g->indices[i] < 0 || g->indices[i] >= g->planes.in_count)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "index %lld is out of range for a plane of size %lld",
                                (long long)g->indices[i],
                                (long long)g->planes.in_count);
    }
    return DG_OK;
}

/* Argument 0 has one element for each output. */
static enum dg_status check_gradient(struct dg_call *call, const struct gradient *g,
                                     const struct dg_tensor *in)
{
    char a[200], b[200];
    struct dg_tensor wanted = {.rank = g->planes.rank};

    memcpy(wanted.sizes, g->planes.sizes, sizeof(wanted.sizes));
    if (!in || !dg_type_is_float(in->type) || !dg_tensor_same_shape(in, &wanted))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a gradient of shape %s is needed, and it is %s",
                            dg_shape_text(&wanted, a, sizeof(a)),
                            in ? dg_shape_text(in, b, sizeof(b)) : "none");
    return DG_OK;
}

static enum dg_status spread(struct dg_call *call, struct gradient *g)
{
    struct dg_tensor *self = dg_arg_tensor(call, 1), *dense, *sums, *out;
    enum dg_status status = check_gradient(call, g, dg_arg_tensor(call, 0));

    if (!status)
        status = check_indices(call, g);
    if (status)
        return status;
    out = dg_result(call, 0, dg_arg_tensor(call, 0)->type, self->rank, self->sizes);
    dense = out ? dg_as_type(call, dg_arg_tensor(call, 0), DG_TYPE_F64) : NULL;
    sums = dense ? dg_tensor_new(call->context->memory, DG_TYPE_F64, self->rank,
                                 self->sizes, call->err)
                 : NULL;
    if (sums) {
        g->in = dg_tensor_data(dense);
        g->out = dg_tensor_data(sums);
        memset(g->out, 0, sums->storage->size);
        dg_parallel(call->context->n_threads, dg_tensor_count(sums) ? g->planes.n : 0,
                    (1 << 12) / (g->planes.out_count + 16) + 1, spread_planes, g);
        dg_copy_elements(out, sums, call->context->n_threads);
    }
    dg_tensor_drop(dense);
    dg_tensor_drop(sums);
    return sums ? DG_OK : call->err->status;
}

enum dg_status dg_cpu_avg_pool2d_backward(struct dg_call *call)
{
    struct gradient g = {.count_padding = dg_arg_bool(call, 6, true),
                         .divisor = dg_arg_int(call, 7, 0)};
    enum dg_status status = dg_windows_begin(g.axes, &g.planes, call, 1, 2, false);

    return status ? status : spread(call, &g);
}

enum dg_status dg_cpu_adaptive_avg_pool2d_backward(struct dg_call *call)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0);
    struct gradient g = {0};
    enum dg_status status = dg_planes_begin(&g.planes, call, dg_arg_tensor(call, 1), 2);

    if (status)
        return status;
    for (int i = 1; in && in->rank == g.planes.rank && i < DG_SPACE_MOST; i++)
        g.planes.out[i] = in->sizes[in->rank - DG_SPACE_MOST + i];
    dg_adaptive_axes(g.axes, &g.planes, 2);
    return spread(call, &g);
}

enum dg_status dg_cpu_max_pool2d_backward(struct dg_call *call)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0), *indices = dg_arg_tensor(call, 7);
    struct gradient g = {0};
    enum dg_status status = dg_windows_begin(g.axes, &g.planes, call, 1, 2, true);

    if (status)
        return status;
    if (!in || !indices || indices->type != DG_TYPE_I64 ||
        !dg_tensor_same_shape(indices, in))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "indices of i64 are needed, one for each gradient");
    indices = dg_contiguous(call, indices);
    if (!indices)
        return call->err->status;
    g.indices = dg_tensor_data(indices);
    status = spread(call, &g);
    dg_tensor_drop(indices);
    return status;
}
