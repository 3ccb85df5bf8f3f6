/* Norms over the last dimensions or over groups of channels: layer, group, RMS. */
#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/norms.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"

/* Element i of row r is scaled by weight[(r % row_cycle * n + i) / repeat]: by its
 * place in the row, or by the channel it lies in. */
struct job {
    const struct dg_tensor *in, *out, *mean, *rstd;
    int64_t n; /* elements of a row */
    const double *weight, *bias;
    int64_t row_cycle, repeat;
    double eps;
    bool root_mean_square, narrow;
    enum dg_type kept; /* of statistics that round before they are used; or NONE */
};

static void put(const struct dg_tensor *tensor, int64_t i, double value)
{
    if (tensor)
        dg_store_f64(tensor->type,
                     (char *)dg_tensor_data(tensor) +
                         i * (int64_t)dg_type_bytes(tensor->type),
                     1, &value, 1);
}

static void scale_row(const struct job *job, double *x, int64_t row, double mean,
                      double rstd)
{
    int64_t first = row % job->row_cycle * job->n;

    if (job->repeat == 1) {
        dg_norm_scale_each(x, job->n, mean, rstd,
                           job->weight ? job->weight + first : NULL,
                           job->bias ? job->bias + first : NULL);
        return;
    }
    for (int64_t from = 0; from < job->n; from += job->repeat) {
        int64_t place = (first + from) / job->repeat;

        dg_norm_scale(x + from, job->repeat, mean, rstd,
                      job->weight ? job->weight[place] : 1,
                      job->bias ? job->bias[place] : 0);
    }
}

static double mean_square(double *x, int64_t n, bool narrow)
{
    double *squares = x + n;

    for (int64_t i = 0; i < n; i++)
        squares[i] = x[i] * x[i];
    return dg_sum_line(squares, n, narrow) / (double)n;
}

static void run_rows(void *data, double *x, int64_t from, int64_t to)
{
    const struct job *job = data;
    const char *in = dg_tensor_data(job->in);
    char *out = dg_tensor_data(job->out);
    int64_t in_bytes = (int64_t)dg_type_bytes(job->in->type) * job->n;
    int64_t out_bytes = (int64_t)dg_type_bytes(job->out->type) * job->n;

    for (int64_t row = from; row < to; row++) {
        double mean = 0, variance, rstd;

        dg_load_f64(x, job->in->type, in + row * in_bytes, 1, job->n);
        if (job->root_mean_square)
            variance = mean_square(x, job->n, job->narrow);
        else
            dg_moments(x, job->n, job->narrow, &mean, &variance);
        if (!job->n)
            mean = 0;
        rstd = 1 / sqrt(variance + job->eps);
        if (job->narrow && job->kept)
            dg_norm_keep(job->kept, &mean, &rstd);
        if (job->narrow)
            dg_norm_leave_ulp(x, job->n, mean);
        scale_row(job, x, row, mean, rstd);
        dg_store_f64(job->out->type, out + row * out_bytes, 1, x, job->n);
        put(job->mean, row, mean);
        put(job->rstd, row, rstd);
    }
}

/* Statistics of 16-bit values are f32 where weights are. */
static enum dg_type statistics_type(const struct dg_tensor *in,
                                    const struct dg_tensor *weight)
{
    return weight ? weight->type : in->type;
}

/* Result 0 has the shape of the input; its statistics, in results 1 and 2 (of RMS: 1),
 * the given one. */
static enum dg_status make_results(struct dg_call *call, struct job *job,
                                   enum dg_type type, int rank, const int64_t *sizes)
{
    job->out = dg_result(call, 0, job->in->type, job->in->rank, job->in->sizes);
    if (!job->out)
        return call->err->status;
    if (call->n_results > 2) {
        job->mean = dg_result(call, 1, type, rank, sizes);
        job->rstd = job->mean ? dg_result(call, 2, type, rank, sizes) : NULL;
    } else if (call->n_results == 2) {
        job->rstd = dg_result(call, 1, type, rank, sizes);
    }
    return call->n_results > 1 && !job->rstd ? call->err->status : DG_OK;
}

/* Weight or bias of `n` elements, or NULL for none. */
static enum dg_status load_scale(struct dg_call *call, struct dg_tensor *tensor,
                                 int64_t n, const double **values)
{
    if (!tensor)
        return DG_OK;
    if (dg_tensor_count(tensor) != n)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a weight or bias of %lld elements where %lld are scaled",
                            (long long)dg_tensor_count(tensor), (long long)n);
    *values = dg_load_all(call, tensor);
    return *values ? DG_OK : call->err->status;
}

static enum dg_status run(struct dg_call *call, struct job *job, int64_t n_rows,
                          enum dg_type type, int rank, const int64_t *sizes)
{
    struct dg_tensor *in = dg_contiguous(call, (struct dg_tensor *)job->in);
    enum dg_status status;

    if (!in)
        return call->err->status;
    job->in = in;
    job->narrow = dg_sums_are_narrow(call->context, in->type);
    status = make_results(call, job, type, rank, sizes);
    if (status == DG_OK && (job->n || job->rstd)) /* rows may be many, and empty */
        status = dg_parallel_lines(call, n_rows, (1 << 14) / (job->n + 1) + 1,
                                   2 * job->n, run_rows, job);
    dg_tensor_drop(in);
    return status;
}

/* The last dimensions, given in argument 1, are a row. */
static enum dg_status row_sizes(struct dg_call *call, struct job *job, int *n_outer,
                                int64_t *n_rows)
{
    const struct dg_tensor *in = job->in;
    int64_t shape[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, shape, DG_RANK_MOST);

    if (n < 0)
        return call->err->status;
    if (n == 0 || n > in->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "%d dimensions of %d are normalized",
                            n, in->rank);
    *n_outer = in->rank - n;
    *n_rows = job->n = 1;
    for (int dim = 0; dim < *n_outer; dim++)
        *n_rows *= in->sizes[dim];
    for (int dim = *n_outer; dim < in->rank; dim++) {
        job->n *= in->sizes[dim];
        if (in->sizes[dim] != shape[dim - *n_outer])
            return dg_call_fail(
                call, DG_ERR_FORMAT, "dimension %d has size %lld, normalized is %lld",
                dim, (long long)in->sizes[dim], (long long)shape[dim - *n_outer]);
    }
    return DG_OK;
}

static enum dg_status run_layers(struct dg_call *call, struct job *job,
                                 struct dg_tensor *bias, enum dg_type type)
{
    int n_outer = 0;
    int64_t n_rows = 0, sizes[DG_RANK_MOST];
    enum dg_status status = row_sizes(call, job, &n_outer, &n_rows);

    if (status == DG_OK)
        status = load_scale(call, dg_arg_tensor(call, 2), job->n, &job->weight);
    if (status == DG_OK)
        status = load_scale(call, bias, job->n, &job->bias);
    if (status)
        return status;
    for (int dim = 0; dim < job->in->rank; dim++)
        sizes[dim] = dim < n_outer ? job->in->sizes[dim] : 1;
    return run(call, job, n_rows, type, job->in->rank, sizes);
}

static enum dg_status need_input(struct dg_call *call)
{
    const struct dg_tensor *in = dg_arg_tensor(call, 0);

    if (!in)
        return dg_call_fail(call, DG_ERR_FORMAT, "a tensor is missing");
    return dg_type_is_float(in->type)
               ? DG_OK
               : dg_call_fail(call, DG_ERR_FORMAT, "a norm of %s",
                              dg_type_name(in->type));
}

/* layer_norm, native_layer_norm: input, normalized_shape, weight, bias, eps */
enum dg_status dg_cpu_layer_norm(struct dg_call *call)
{
    struct job job = {.in = dg_arg_tensor(call, 0),
                      .row_cycle = 1,
                      .repeat = 1,
                      .eps = dg_arg_real(call, 4, 1e-5)};
    enum dg_status status = need_input(call);

    return status ? status
                  : run_layers(call, &job, dg_arg_tensor(call, 3),
                               statistics_type(job.in, dg_arg_tensor(call, 2)));
}

/* rms_norm, _fused_rms_norm: input, normalized_shape, weight, eps */
enum dg_status dg_cpu_rms_norm(struct dg_call *call)
{
    struct job job = {.in = dg_arg_tensor(call, 0),
                      .row_cycle = 1,
                      .repeat = 1,
                      .root_mean_square = true};
    enum dg_status status = need_input(call);

    if (status)
        return status;
    job.eps = dg_arg_real(call, 3, dg_epsilon(call, job.in->type));
    return run_layers(call, &job, NULL,
                      job.in->type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32);
}

/* Rows are groups of channels of a sample; channels have `repeat` elements. */
static enum dg_status run_groups(struct dg_call *call, struct job *job, int64_t groups,
                                 struct dg_tensor *weight, struct dg_tensor *bias)
{
    const struct dg_tensor *in = job->in;
    int64_t channels = in->rank > 1 ? in->sizes[1] : 0, n_rows = 0;
    enum dg_status status;

    if (in->rank < 2 || groups < 1 || channels % groups ||
        __builtin_mul_overflow(in->sizes[0], groups, &n_rows))
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld channels in %lld groups",
                            (long long)channels, (long long)groups);
    status = load_scale(call, weight, channels, &job->weight);
    if (status == DG_OK)
        status = load_scale(call, bias, channels, &job->bias);
    if (status)
        return status;
    job->repeat = 1;
    for (int dim = 2; dim < in->rank; dim++)
        job->repeat *= in->sizes[dim];
    job->row_cycle = groups;
    job->n = channels / groups * job->repeat;
    return run(call, job, n_rows, statistics_type(in, weight), 2,
               (int64_t[]){in->sizes[0], groups});
}

/* input, num_groups, weight, bias, eps */
enum dg_status dg_cpu_group_norm(struct dg_call *call)
{
    struct job job = {.in = dg_arg_tensor(call, 0), .eps = dg_arg_real(call, 4, 1e-5)};
    enum dg_status status = need_input(call);

    return status ? status
                  : run_groups(call, &job, dg_arg_int(call, 1, 0),
                               dg_arg_tensor(call, 2), dg_arg_tensor(call, 3));
}

/* input, weight, bias, N, C, HxW, group, eps */
enum dg_status dg_cpu_native_group_norm(struct dg_call *call)
{
    struct job job = {.in = dg_arg_tensor(call, 0), .eps = dg_arg_real(call, 7, 1e-5)};
    enum dg_status status = need_input(call);

    return status ? status
                  : run_groups(call, &job, dg_arg_int(call, 6, 0),
                               dg_arg_tensor(call, 1), dg_arg_tensor(call, 2));
}

/* input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps: in
 * the order of batch_norm, which it is when it does not look at the input. */
enum dg_status dg_cpu_instance_norm(struct dg_call *call)
{
    struct job job = {.in = dg_arg_tensor(call, 0), .eps = dg_arg_real(call, 7, 1e-5)};
    enum dg_status status = need_input(call);

    if (status)
        return status;
    if (!dg_arg_bool(call, 5, true))
        return dg_cpu_batch_norm(call);
    if (dg_arg_tensor(call, 3))
        return dg_instance_norm_moving(call);
    job.kept = statistics_type(job.in, dg_arg_tensor(call, 1));
    return run_groups(call, &job, job.in->rank > 1 ? job.in->sizes[1] : 0,
                      dg_arg_tensor(call, 1), dg_arg_tensor(call, 2));
}
