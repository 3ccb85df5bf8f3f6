/* softmax and log_softmax. */
#include "kernels/cpu/softmax.h"

#include <math.h>
#include <string.h>

#include "kernels/cpu/elementary.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/vectorize.h"

enum { LANES = 8 };

DG_FOR_ANY double larger(double a, double b)
{
    return a > b ? a : b;
}

/* NaN where one of them is. */
DG_FOR_ANY double greatest(const double *x, int64_t n)
{
    double lanes[LANES], most = -INFINITY;
    int64_t i = 0, nans = 0;

    for (int lane = 0; lane < LANES; lane++)
        lanes[lane] = -INFINITY;
    for (; i + LANES <= n; i += LANES) {
        for (int lane = 0; lane < LANES; lane++)
            lanes[lane] = larger(x[i + lane], lanes[lane]);
    }
    for (int lane = 0; lane < LANES; lane++)
        most = larger(lanes[lane], most);
    for (; i < n; i++)
        most = larger(x[i], most);
    for (i = 0; i < n; i++)
        nans += x[i] != x[i];
    return nans ? (double)NAN : most;
}

/* to[i] = x[i] - the greatest one, which is returned. */
#define LINES(name, attributes)                                                        \
    attributes static double shift_##name(double *to, const double *x, int64_t n)      \
    {                                                                                  \
        double most = greatest(x, n);                                                  \
                                                                                       \
        for (int64_t i = 0; i < n; i++)                                                \
            to[i] = x[i] - most;                                                       \
        return most;                                                                   \
    }                                                                                  \
                                                                                       \
    attributes static void divide_##name(double *x, int64_t n, double by)              \
    {                                                                                  \
        for (int64_t i = 0; i < n; i++)                                                \
            x[i] /= by;                                                                \
    }

LINES(narrow, )
#ifdef DG_AVX2
LINES(avx2, DG_AVX2)
#endif

double dg_softmax_line(double *x, int64_t n, bool narrow)
{
    double most = DG_WIDEST(shift)(x, x, n), total;

    dg_exp_line(x, n);
    total = dg_sum_line(x, n, narrow);
    DG_WIDEST(divide)(x, n, total);
    return most + log(total);
}

static void log_softmax_line(double *x, int64_t n, bool narrow, double *powers)
{
    double most = DG_WIDEST(shift)(powers, x, n), log_total;

    dg_exp_line(powers, n);
    log_total = log(dg_sum_line(powers, n, narrow));
    for (int64_t i = 0; i < n; i++)
        x[i] = x[i] - most - log_total;
}

enum form { SOFTMAX, LOG_SOFTMAX, SAFE_SOFTMAX };

struct job {
    const struct dg_tensor *in, *out;
    int dim; /* of both */
    int64_t n;
    enum form form;
    bool narrow;
};

static bool all_are_minus_infinity(const double *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        if (x[i] != -INFINITY)
            return false;
    }
    return true;
}

/* Where line `number` along `dim` starts. */
static char *line_start(const struct dg_tensor *tensor, int dim, int64_t number)
{
    int64_t offset = 0;

    for (int d = tensor->rank - 1; d >= 0; d--) {
        if (d == dim)
            continue;
        offset += number % tensor->sizes[d] * tensor->strides[d];
        number /= tensor->sizes[d];
    }
    return (char *)dg_tensor_data(tensor) +
           offset * (int64_t)dg_type_bytes(tensor->type);
}

static void run_lines(void *data, double *x, int64_t from, int64_t to)
{
    const struct job *job = data;
    int64_t n = job->n, in = job->in->rank ? job->in->strides[job->dim] : 1;
    int64_t out = job->out->rank ? job->out->strides[job->dim] : 1;

    for (int64_t i = from; i < to; i++) {
        dg_load_f64(x, job->in->type, line_start(job->in, job->dim, i), in, n);
        if (job->form == LOG_SOFTMAX)
            log_softmax_line(x, n, job->narrow, x + n);
        else if (job->form == SAFE_SOFTMAX && all_are_minus_infinity(x, n))
            memset(x, 0, (size_t)n * sizeof(*x));
        else
            dg_softmax_line(x, n, job->narrow);
        dg_store_f64(job->out->type, line_start(job->out, job->dim, i), out, x, n);
    }
}

/* `type` is that of the result; integers are computed as it. */
static enum dg_status run(struct dg_call *call, enum form form, enum dg_type type)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0), *out;
    struct job job = {.in = in, .n = 1, .form = form};

    if (!in)
        return dg_call_fail(call, DG_ERR_FORMAT, "a tensor is missing");
    if (!dg_type_is_float(type))
        return dg_call_fail(call, DG_ERR_FORMAT, "softmax of %s", dg_type_name(type));
    if (!dg_dimension(call, dg_arg_int(call, 1, -1), in->rank, &job.dim))
        return call->err->status;
    out = dg_result(call, 0, type, in->rank, in->sizes);
    if (!out)
        return call->err->status;
    if (dg_tensor_count(in) == 0)
        return DG_OK;
    job.out = out;
    job.n = in->rank ? in->sizes[job.dim] : 1;
    job.narrow = dg_sums_are_narrow(call->context, type);
    return dg_parallel_lines(call, dg_tensor_count(in) / job.n, (1 << 12) / job.n + 1,
                             2 * job.n, run_lines, &job);
}

static enum dg_type own_type(const struct dg_call *call)
{
    const struct dg_tensor *in = dg_arg_tensor(call, 0);

    return in ? in->type : DG_TYPE_F32;
}

/* self, dim, half_to_float */
static enum dg_type half_or_float(const struct dg_call *call)
{
    return dg_arg_bool(call, 2, false) ? DG_TYPE_F32 : own_type(call);
}

/* self, dim, dtype: the input is converted to it first */
static enum dg_type type_asked_for(const struct dg_call *call)
{
    return dg_arg_type(call, 2, own_type(call));
}

enum dg_status dg_cpu_softmax_half(struct dg_call *call)
{
    return run(call, SOFTMAX, half_or_float(call));
}

enum dg_status dg_cpu_log_softmax_half(struct dg_call *call)
{
    return run(call, LOG_SOFTMAX, half_or_float(call));
}

enum dg_status dg_cpu_softmax(struct dg_call *call)
{
    return run(call, SOFTMAX, type_asked_for(call));
}

enum dg_status dg_cpu_log_softmax(struct dg_call *call)
{
    return run(call, LOG_SOFTMAX, type_asked_for(call));
}

enum dg_status dg_cpu_safe_softmax(struct dg_call *call)
{
    return run(call, SAFE_SOFTMAX, type_asked_for(call));
}
