/* fractional_max_pool: windows that start where random samples say. */
#include <math.h>

#include "kernels/cpu/movement.h"
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/window.h"

struct pool {
    struct dg_call *call;
    struct dg_planes planes;
    enum dg_type type;
    int n_space;
    int64_t kernel[DG_SPACE_MOST];
    int64_t *starts[DG_SPACE_MOST]; /* of the windows of one plane */
    const double *in, *samples;     /* n_space samples of each plane */
    struct dg_tensor *out, *indices;
};

static double rounded(const struct pool *pool, double value)
{
    return dg_rounded(pool->call->context, pool->type, value);
}

/* The windows are as far apart as torch rounds it; the last one ends the input. */
static enum dg_status place(struct pool *pool, int axis, double sample)
{
    int64_t n = pool->planes.out[axis];
    double room = (double)(pool->planes.in[axis] - pool->kernel[axis]);
    double step = rounded(pool, rounded(pool, room) / rounded(pool, (double)(n - 1)));

    for (int64_t i = 0; i < n; i++) {
        double at = rounded(pool, rounded(pool, (double)i) + sample);
        double start =
            trunc(rounded(pool, at * step)) - trunc(rounded(pool, sample * step));

        if (i == n - 1)
            start = room;
        if (!(start >= 0 && start <= room))
            return dg_call_fail(pool->call, DG_ERR_FORMAT,
                                "sample %g puts a window at %g of %g", sample, start,
                                room);
        pool->starts[axis][i] = (int64_t)start;
    }
    return DG_OK;
}

/* The greatest element of the window at `at`, or its last NaN. */
static void take(struct pool *pool, int64_t plane, const int64_t *at, int64_t to)
{
    const int64_t *in = pool->planes.in, *kernel = pool->kernel;
    const double *values = pool->in + plane * pool->planes.in_count;
    int64_t first = (at[0] * in[1] + at[1]) * in[2] + at[2], best = first;
    double greatest = -INFINITY;

    for (int64_t z = 0; z < kernel[0]; z++) {
        for (int64_t y = 0; y < kernel[1]; y++) {
            for (int64_t x = 0; x < kernel[2]; x++) {
                int64_t i = first + (z * in[1] + y) * in[2] + x;

                if (values[i] > greatest || isnan(values[i])) {
                    greatest = values[i];
                    best = i;
                }
            }
        }
    }
    dg_put_real(pool->out, to, greatest);
    dg_put_integer(pool->indices, to, best);
}

static enum dg_status run_plane(struct pool *pool, int64_t plane)
{
    const int64_t *out = pool->planes.out;
    int64_t to = plane * pool->planes.out_count;

    for (int i = 0; i < pool->n_space; i++) {
        /* Planes have the sample of the width first, volumes that of the depth. */
        int axis = pool->n_space == 2 ? DG_SPACE_MOST - 1 - i : i;

        if (place(pool, axis, pool->samples[plane * pool->n_space + i]))
            return pool->call->err->status;
    }
    for (int64_t z = 0; z < out[0]; z++) {
        for (int64_t y = 0; y < out[1]; y++) {
            for (int64_t x = 0; x < out[2]; x++, to++)
                take(pool, plane,
                     (int64_t[]){pool->starts[0][z], pool->starts[1][y],
                                 pool->starts[2][x]},
                     to);
        }
    }
    return DG_OK;
}

/* Arguments 1 and 2: kernel and size of the result, one number for each dimension. */
static enum dg_status read_sizes(struct pool *pool)
{
    struct dg_call *call = pool->call;
    int64_t kernel[DG_SPACE_MOST], out[DG_SPACE_MOST];
    int n_kernel = dg_arg_ints(call, 1, kernel, DG_SPACE_MOST);
    int n_out = dg_arg_ints(call, 2, out, DG_SPACE_MOST);

    for (int axis = 0; axis < DG_SPACE_MOST; axis++)
        pool->kernel[axis] = 1;
    if (n_kernel < 1 || n_out < 1)
        return dg_call_fail(call, DG_ERR_FORMAT, "no sizes of windows");
    for (int i = 0; i < pool->n_space; i++) {
        int axis = DG_SPACE_MOST - pool->n_space + i;
        int64_t in = pool->planes.in[axis];

        pool->kernel[axis] = kernel[i < n_kernel ? i : 0];
        pool->planes.out[axis] = out[i < n_out ? i : 0];
        if (pool->kernel[axis] < 1 || pool->planes.out[axis] < 0 ||
            pool->kernel[axis] > in || pool->planes.out[axis] > in ||
            pool->planes.out[axis] + pool->kernel[axis] - 1 > in)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "%lld windows of %lld in a dimension of %lld",
                                (long long)pool->planes.out[axis],
                                (long long)pool->kernel[axis], (long long)in);
    }
    dg_planes_end(&pool->planes, pool->n_space);
    return DG_OK;
}

/* Argument 3: of at least as many samples as the batch has. */
static enum dg_status read_samples(struct pool *pool, const struct dg_tensor *self)
{
    struct dg_tensor *samples = dg_need_tensor(pool->call, 3);
    bool batched = self->rank == pool->n_space + 2;
    int64_t n = batched ? self->sizes[0] : 1;

    if (!samples)
        return pool->call->err->status;
    if (samples->rank != 3 || samples->type != self->type || samples->sizes[0] < n ||
        samples->sizes[1] != self->sizes[batched] || samples->sizes[2] != pool->n_space)
        return dg_call_fail(pool->call, DG_ERR_FORMAT,
                            "samples of %s and rank %d for windows of %lld planes",
                            dg_type_name(samples->type), samples->rank,
                            (long long)pool->planes.n);
    pool->samples = dg_load_all(pool->call, samples);
    return pool->samples ? DG_OK : pool->call->err->status;
}

static enum dg_status run(struct pool *pool, struct dg_tensor *self)
{
    struct dg_call *call = pool->call;
    enum dg_status status = DG_OK;

    for (int axis = 0; axis < DG_SPACE_MOST; axis++) {
        pool->starts[axis] =
            dg_scratch(call, pool->planes.out[axis], sizeof(*pool->starts[axis]));
        if (!pool->starts[axis])
            return call->err->status;
    }
    pool->in = dg_load_all(call, self);
    pool->out = dg_result(call, 0, self->type, self->rank, pool->planes.sizes);
    pool->indices = dg_result(call, 1, DG_TYPE_I64, self->rank, pool->planes.sizes);
    if (!pool->in || !pool->out || !pool->indices)
        return call->err->status;
    for (int64_t plane = 0; plane < pool->planes.n && !status; plane++)
        status = run_plane(pool, plane);
    return status;
}

static enum dg_status fractional(struct dg_call *call, int n_space)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct pool pool = {.call = call, .n_space = n_space};
    enum dg_status status;

    if (!self)
        return call->err->status;
    if (!dg_type_is_float(self->type))
        return dg_call_fail(call, DG_ERR_FORMAT, "windows of %s",
                            dg_type_name(self->type));
    pool.type = self->type;
    status = dg_planes_begin(&pool.planes, call, self, n_space);
    if (!status)
        status = read_sizes(&pool);
    if (!status)
        status = read_samples(&pool, self);
    return status ? status : run(&pool, self);
}

enum dg_status dg_cpu_fractional_max_pool2d(struct dg_call *call)
{
    return fractional(call, 2);
}

enum dg_status dg_cpu_fractional_max_pool3d(struct dg_call *call)
{
    return fractional(call, 3);
}
