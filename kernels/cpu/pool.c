/* Pooling: the average or the largest element of each window. */
#include <math.h>

#include "kernels/cpu/reduce.h"
#include "kernels/cpu/window.h"

#include "kernels/cpu/vectorize.h"

enum { NARROW = 64 }; /* of wide windows most elements may lie outside */

struct pool {
    struct dg_planes planes;
    struct dg_window_axis axes[DG_SPACE_MOST];
    const void *in; /* f64 or i64 */
    struct dg_tensor *out, *indices;
    bool in_f32, count_padding, integers;
    int64_t divisor; /* 0: the size of the window */
};

static double average(const struct pool *pool, const double *plane,
                      const struct dg_span *spans)
{
    int64_t size = dg_window_size(spans, pool->count_padding);
    double sum = 0;

    DG_EACH_ELEMENT(spans, pool->planes, row, x)
    {
        sum += plane[row + x];
        if (pool->in_f32)
            sum = (float)sum;
    }
    if (pool->divisor)
        return sum / (double)pool->divisor;
    return size ? sum / (double)size : 0;
}

/* Part of a row of the output; its windows differ in the last span only. */
static void average_piece(const struct pool *pool, const struct dg_piece *piece,
                          struct dg_span *spans)
{
    const double *plane =
        (const double *)pool->in + piece->plane * pool->planes.in_count;
    double line[DG_LINE_MOST];

    for (int64_t i = 0; i < piece->n; i++) {
        spans[2] = dg_window(&pool->axes[2], piece->x + i);
        line[i] = average(pool, plane, spans);
    }
    dg_put_reals(pool->out, piece->at, line, piece->n);
}

/* The index of the largest element: of equal ones the first, but of NaNs the last. -1:
 * the window is empty. */
#define LARGEST(name, ctype)                                                           \
    static int64_t name(const struct pool *pool, const ctype *plane,                   \
                        const struct dg_span *spans)                                   \
    {                                                                                  \
        int64_t best = -1;                                                             \
                                                                                       \
        DG_EACH_ELEMENT(spans, pool->planes, row, x)                                   \
        {                                                                              \
            ctype value = plane[row + x];                                              \
                                                                                       \
            if (best < 0 || value > plane[best] || value != value)                     \
                best = row + x;                                                        \
        }                                                                              \
        return best;                                                                   \
    }

LARGEST(largest_real, double)
LARGEST(largest_integer, int64_t)

#define LARGEST_PIECE(name, ctype, largest, put, least)                                \
    static void name(const struct pool *pool, const struct dg_piece *piece,            \
                     struct dg_span *spans)                                            \
    {                                                                                  \
        const ctype *plane =                                                           \
            (const ctype *)pool->in + piece->plane * pool->planes.in_count;            \
        int64_t indices[DG_LINE_MOST];                                                 \
        ctype line[DG_LINE_MOST];                                                      \
                                                                                       \
        for (int64_t i = 0; i < piece->n; i++) {                                       \
            int64_t best;                                                              \
                                                                                       \
            spans[2] = dg_window(&pool->axes[2], piece->x + i);                        \
            best = largest(pool, plane, spans);                                        \
            line[i] = best < 0 ? least : plane[best];                                  \
            indices[i] = best < 0 ? 0 : best;                                          \
        }                                                                              \
        put(pool->out, piece->at, line, piece->n);                                     \
        if (pool->indices)                                                             \
            dg_put_integers(pool->indices, piece->at, indices, piece->n);              \
    }

LARGEST_PIECE(largest_reals, double, largest_real, dg_put_reals, -INFINITY)
LARGEST_PIECE(largest_integers, int64_t, largest_integer, dg_put_integers, INT64_MIN)

/* What element k of each window of a row reads from the row of a plane. */
static void raise_row(const struct dg_window_axis *axis, const struct dg_piece *piece,
                      const double *row, int64_t k, double *line)
{
    int64_t at = k * axis->dilation - axis->padding + piece->x * axis->stride;
    int64_t from = at < 0 ? (axis->stride - 1 - at) / axis->stride : 0;
    int64_t to = at < axis->in ? (axis->in - at + axis->stride - 1) / axis->stride : 0;

    to = to < piece->n ? to : piece->n;
    for (int64_t i = from; i < to; i++) {
        double value = row[at + i * axis->stride];
        bool more = (value > line[i]) | (value != value);

        line[i] = more ? value : line[i];
    }
}

/* What largest_reals() gives, where nobody asks which it is: all windows of a row at
 * once, each element in its turn. */
static void largest_values(const struct pool *pool, const struct dg_piece *piece,
                           struct dg_span *spans)
{
    const double *plane =
        (const double *)pool->in + piece->plane * pool->planes.in_count;
    const int64_t *in = pool->planes.in;
    double line[DG_LINE_MOST];

    for (int64_t i = 0; i < piece->n; i++)
        line[i] = -INFINITY;
    for (int64_t z = spans[0].first; z < spans[0].end; z += spans[0].step) {
        for (int64_t y = spans[1].first; y < spans[1].end; y += spans[1].step) {
            for (int64_t k = 0; k < pool->axes[2].kernel; k++)
                raise_row(&pool->axes[2], piece, plane + (z * in[1] + y) * in[2], k,
                          line);
        }
    }
    dg_put_reals(pool->out, piece->at, line, piece->n);
}

typedef void piece_fn(const struct pool *pool, const struct dg_piece *piece,
                      struct dg_span *spans);

struct job {
    const struct pool *pool;
    piece_fn *fn;
};

static void run_piece(void *data, const struct dg_piece *piece)
{
    const struct job *job = data;
    struct dg_span spans[] = {dg_window(&job->pool->axes[0], piece->z),
                              dg_window(&job->pool->axes[1], piece->y),
                              {0}};

    job->fn(job->pool, piece, spans);
}

/* The windows are known: give the results that fn computes. */
static enum dg_status run(struct pool *pool, struct dg_call *call, bool indices,
                          piece_fn *fn)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0), *dense;
    const struct dg_planes *planes = &pool->planes;
    int64_t in_window = planes->in_count / (planes->out_count + 1) + 4;

    pool->out = dg_result(call, 0, in->type, planes->rank, planes->sizes);
    if (pool->out && indices)
        pool->indices = dg_result(call, 1, DG_TYPE_I64, planes->rank, planes->sizes);
    if (!pool->out || (indices && !pool->indices))
        return call->err->status;
    if (!planes->in_count && dg_tensor_count(pool->out))
        return dg_call_fail(call, DG_ERR_FORMAT, "the input has no elements");
    dense = dg_as_type(call, in, pool->integers ? DG_TYPE_I64 : DG_TYPE_F64);
    if (!dense)
        return call->err->status;
    pool->in = dg_tensor_data(dense);
    dg_each_piece(planes, call->context->n_threads, in_window, run_piece,
                  &(struct job){pool, fn});
    dg_tensor_drop(dense);
    return DG_OK;
}

static enum dg_status average_pool(struct dg_call *call, int n_space, bool adaptive)
{
    struct pool pool = {0};
    enum dg_status status =
        adaptive ? dg_adaptive_begin(pool.axes, &pool.planes, call, n_space)
                 : dg_windows_begin(pool.axes, &pool.planes, call, 0, n_space, false);
    const struct dg_tensor *in = dg_arg_tensor(call, 0);

    if (status)
        return status;
    pool.in_f32 =
        call->context->precision == DG_PRECISION_OWN_SUMS && in->type != DG_TYPE_F64;
    pool.count_padding = adaptive || dg_arg_bool(call, 5, true);
    pool.divisor = adaptive ? 0 : dg_arg_int(call, 6, 0);
    if (!adaptive && n_space > 1 && !dg_arg_missing(call, 6) && !pool.divisor)
        return dg_call_fail(call, DG_ERR_FORMAT, "the divisor is 0");
    return run(&pool, call, false, average_piece);
}

static enum dg_status max_pool(struct dg_call *call, int n_space, bool adaptive,
                               bool indices)
{
    struct pool pool = {0};
    enum dg_status status =
        adaptive ? dg_adaptive_begin(pool.axes, &pool.planes, call, n_space)
                 : dg_windows_begin(pool.axes, &pool.planes, call, 0, n_space, true);

    if (status)
        return status;
    pool.integers = !dg_type_is_float(dg_arg_tensor(call, 0)->type);
    if (!pool.integers && !indices && !adaptive && pool.axes[2].kernel <= NARROW)
        return run(&pool, call, false, largest_values);
    return run(&pool, call, indices, pool.integers ? largest_integers : largest_reals);
}

#define POOL(name, ...)                                                                \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return __VA_ARGS__;                                                            \
    }

POOL(avg_pool1d, average_pool(call, 1, false))
POOL(avg_pool2d, average_pool(call, 2, false))
POOL(avg_pool3d, average_pool(call, 3, false))
POOL(adaptive_avg_pool1d, average_pool(call, 1, true))
POOL(adaptive_avg_pool2d, average_pool(call, 2, true))
POOL(adaptive_avg_pool3d, average_pool(call, 3, true))
POOL(max_pool1d, max_pool(call, 1, false, false))
POOL(max_pool2d, max_pool(call, 2, false, false))
POOL(max_pool3d, max_pool(call, 3, false, false))
POOL(max_pool1d_with_indices, max_pool(call, 1, false, true))
POOL(max_pool2d_with_indices, max_pool(call, 2, false, true))
POOL(max_pool3d_with_indices, max_pool(call, 3, false, true))
POOL(adaptive_max_pool1d, max_pool(call, 1, true, true))
POOL(adaptive_max_pool2d, max_pool(call, 2, true, true))
POOL(adaptive_max_pool3d, max_pool(call, 3, true, true))
