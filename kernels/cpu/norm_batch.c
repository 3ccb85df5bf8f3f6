/* Norms by the statistics of channels: batch norm, evaluating and training. */
#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/norms.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"

enum { MEAN = 3, VARIANCE = 4 }; /* arguments: running statistics */

/* Channel c of every sample becomes (x - mean[c]) * rstd[c] * weight[c] + bias[c]. */
struct job {
    const struct dg_tensor *in, *out;
    int64_t samples, channels, n; /* n elements of a channel of a sample */
    double *mean, *variance;
    const double *weight, *bias;
    double eps, momentum;
    bool narrow;
    enum dg_type kept; /* of the statistics of a batch; NONE: it has running ones */
};

static void load_row(const struct job *job, int64_t row, double *x)
{
    dg_load_f64(x, job->in->type,
                (const char *)dg_tensor_data(job->in) +
                    row * job->n * (int64_t)dg_type_bytes(job->in->type),
                1, job->n);
}

static void measure(void *data, double *x, int64_t from, int64_t to)
{
    const struct job *job = data;
    int64_t count = job->samples * job->n;

    for (int64_t c = from; c < to; c++) {
        /* Samples may be many, and empty. */
        for (int64_t sample = 0; sample < job->samples && job->n; sample++)
            load_row(job, sample * job->channels + c, x + sample * job->n);
        dg_moments(x, count, job->narrow, &job->mean[c], &job->variance[c]);
    }
}

static void scale(void *data, double *x, int64_t from, int64_t to)
{
    const struct job *job = data;

    for (int64_t row = from; row < to; row++) {
        int64_t c = row % job->channels;
        double mean = job->mean[c], rstd = 1 / sqrt(job->variance[c] + job->eps);

        load_row(job, row, x);
        if (job->narrow && job->kept)
            dg_norm_keep(job->kept, &mean, &rstd);
        if (job->narrow)
            dg_norm_leave_ulp(x, job->n, mean);
        dg_norm_scale(x, job->n, mean, rstd, job->weight ? job->weight[c] : 1,
                      job->bias ? job->bias[c] : 0);
        dg_store_f64(job->out->type,
                     (char *)dg_tensor_data(job->out) +
                         row * job->n * (int64_t)dg_type_bytes(job->out->type),
                     1, x, job->n);
    }
}

/* One number for each channel, or NULL for none. */
static enum dg_status load_channels(struct dg_call *call, const struct job *job,
                                    size_t arg, double **values)
{
    struct dg_tensor *tensor = dg_arg_tensor(call, arg);

    if (!tensor)
        return DG_OK;
    if (dg_tensor_count(tensor) != job->channels)
        return dg_call_fail(
            call, DG_ERR_FORMAT, "argument %zu has %lld elements for %lld channels",
            arg, (long long)dg_tensor_count(tensor), (long long)job->channels);
    *values = dg_load_all(call, tensor);
    return *values ? DG_OK : call->err->status;
}

static enum dg_status begin(struct dg_call *call, struct job *job)
{
    const struct dg_tensor *in = dg_arg_tensor(call, 0);
    double *weight = NULL, *bias = NULL;
    enum dg_status status;

    /* torch takes nothing at all in any shape. */
    if (!in || (in->rank < 2 && dg_tensor_count(in)) || !dg_type_is_float(in->type))
        return dg_call_fail(call, DG_ERR_FORMAT, "a batch norm of rank %d and dtype %s",
                            in ? in->rank : 0,
                            dg_type_name(in ? in->type : DG_TYPE_NONE));
    job->samples = in->sizes[0];
    job->channels = in->rank > 1 ? in->sizes[1] : 0;
    job->n = 1;
    for (int dim = 2; dim < in->rank; dim++)
        job->n *= in->sizes[dim];
    job->narrow = dg_sums_are_narrow(call->context, in->type);
    status = load_channels(call, job, 1, &weight);
    if (status == DG_OK)
        status = load_channels(call, job, 2, &bias);
    job->weight = weight;
    job->bias = bias;
    return status;
}

/* Statistics of a channel are f32 where they are kept for 16-bit values. */
static enum dg_type statistics_type(const struct dg_tensor *in,
                                    const struct dg_tensor *weight)
{
    return weight ? weight->type : in->type;
}

static enum dg_status give_channels(struct dg_call *call, size_t result,
                                    enum dg_type type, const double *values, int64_t n)
{
    struct dg_tensor *tensor;

    if (call->n_results <= result)
        return DG_OK;
    tensor = dg_result(call, result, type, 1, &n);
    if (!tensor)
        return call->err->status;
    dg_store_f64(tensor->type, dg_tensor_data(tensor), 1, values, n);
    return DG_OK;
}

static enum dg_status normalize(struct dg_call *call, struct job *job, bool training)
{
    struct dg_tensor *in = dg_contiguous(call, dg_arg_tensor(call, 0));
    int64_t rows = job->samples * job->channels;
    enum dg_status status;

    if (!in)
        return call->err->status;
    job->in = in;
    job->out = dg_result(call, 0, in->type, in->rank, in->sizes);
    status = job->out ? DG_OK : call->err->status;
    if (!status && training)
        status = dg_parallel_lines(call, job->channels,
                                   (1 << 14) / (job->samples * job->n + 1) + 1,
                                   job->samples * job->n, measure, job);
    if (!status && job->n)
        status = dg_parallel_lines(call, rows, (1 << 14) / (job->n + 1) + 1, job->n,
                                   scale, job);
    dg_tensor_drop(in);
    return status;
}

/* Mean and 1 / deviation of each channel as results 1 and 2. */
static enum dg_status give_statistics(struct dg_call *call, const struct job *job,
                                      enum dg_type type)
{
    double *rstd = dg_scratch(call, job->channels, sizeof(*rstd));
    enum dg_status status = give_channels(call, 1, type, job->mean, job->channels);

    if (!rstd)
        return call->err->status;
    for (int64_t c = 0; c < job->channels; c++)
        rstd[c] = 1 / sqrt(job->variance[c] + job->eps);
    return status ? status : give_channels(call, 2, type, rstd, job->channels);
}

static enum dg_status train(struct dg_call *call, struct job *job)
{
    enum dg_status status;

    job->kept = statistics_type(dg_arg_tensor(call, 0), dg_arg_tensor(call, 1));
    job->mean = dg_scratch(call, job->channels, sizeof(*job->mean));
    job->variance = dg_scratch(call, job->channels, sizeof(*job->variance));
    if (!job->mean || !job->variance)
        return call->err->status;
    status = normalize(call, job, true);
    return status ? status : give_statistics(call, job, job->kept);
}

/* With the running statistics of arguments 3 and 4; saved ones are empty. */
static enum dg_status evaluate(struct dg_call *call, struct job *job)
{
    const struct dg_tensor *in = dg_arg_tensor(call, 0),
                           *weight = dg_arg_tensor(call, 1);
    enum dg_type type = statistics_type(in, weight);
    enum dg_status status = load_channels(call, job, MEAN, &job->mean);

    if (status == DG_OK)
        status = load_channels(call, job, VARIANCE, &job->variance);
    if (status == DG_OK && (!job->mean || !job->variance))
        status = dg_call_fail(call, DG_ERR_FORMAT, "running statistics are missing");
    if (status == DG_OK)
        status = normalize(call, job, false);
    if (status == DG_OK)
        status = give_channels(call, 1, type, NULL, 0);
    return status ? status : give_channels(call, 2, type, NULL, 0);
}

/* input, weight, bias, running_mean, running_var, momentum, eps */
enum dg_status dg_cpu_batch_norm_evaluating(struct dg_call *call)
{
    struct job job = {.eps = dg_arg_real(call, 6, 1e-5)};
    enum dg_status status = begin(call, &job);

    return status ? status : evaluate(call, &job);
}

/* input, weight, bias, training, momentum, eps: statistics of the batch */
enum dg_status dg_cpu_batch_norm_no_stats(struct dg_call *call)
{
    struct job job = {.eps = dg_arg_real(call, 5, 1e-5)};
    enum dg_status status = begin(call, &job);

    return status ? status : train(call, &job);
}

/* The unbiased variance of what the batch shows: times this. */
static double unbiased(const struct job *job)
{
    double count = (double)(job->samples * job->n);

    return count / (count - 1);
}

/* running * (1 - momentum) + measured * momentum, in *running; NULL: there is none. */
static enum dg_status move_running(struct dg_call *call, const struct job *job,
                                   size_t arg, double **running, double factor)
{
    const double *measured = arg == MEAN ? job->mean : job->variance;
    enum dg_status status = load_channels(call, job, arg, running);

    for (int64_t c = 0; !status && *running && c < job->channels; c++)
        (*running)[c] =
            (*running)[c] * (1 - job->momentum) + measured[c] * factor * job->momentum;
    return status;
}

/* The new statistics are a result; of none there is none. */
static enum dg_status give_running(struct dg_call *call, const struct job *job,
                                   size_t arg, size_t result, double factor)
{
    double *running = NULL;
    enum dg_status status = move_running(call, job, arg, &running, factor);

    return status || !running
               ? status
               : give_channels(call, result, dg_arg_tensor(call, arg)->type, running,
                               job->channels);
}

/* The new statistics take the place of the argument's. */
static enum dg_status update_running(struct dg_call *call, const struct job *job,
                                     size_t arg, double factor)
{
    struct dg_tensor *kept = dg_arg_tensor(call, arg), *moved;
    double *running = NULL;
    enum dg_status status = move_running(call, job, arg, &running, factor);

    if (!status && running)
        status = dg_tensor_own(kept, call->err);
    if (status || !running)
        return status;
    moved =
        dg_tensor_new(&dg_host_memory, kept->type, kept->rank, kept->sizes, call->err);
    if (!moved)
        return call->err->status;
    dg_store_f64(moved->type, dg_tensor_data(moved), 1, running, job->channels);
    dg_copy_elements(kept, moved, call->context->n_threads);
    dg_tensor_drop(moved);
    return DG_OK;
}

static enum dg_status update_both(struct dg_call *call, const struct job *job)
{
    enum dg_status status = update_running(call, job, MEAN, 1);

    return status ? status : update_running(call, job, VARIANCE, unbiased(job));
}

static enum dg_status give_both(struct dg_call *call, const struct job *job,
                                size_t result)
{
    enum dg_status status = give_running(call, job, MEAN, result, 1);

    return status ? status
                  : give_running(call, job, VARIANCE, result + 1, unbiased(job));
}

/* input, weight, bias, running_mean, running_var, training, momentum, eps */
enum dg_status dg_cpu_batch_norm(struct dg_call *call)
{
    struct job job = {.eps = dg_arg_real(call, 7, 1e-5),
                      .momentum = dg_arg_real(call, 6, 0.1)};
    bool training = dg_arg_bool(call, 5, false), running = dg_arg_tensor(call, MEAN);
    enum dg_status status = begin(call, &job);

    if (status)
        return status;
    if (running && !training)
        return evaluate(call, &job);
    status = train(call, &job);
    return status || !running ? status : update_both(call, &job);
}

/* As dg_cpu_batch_norm, and the new running statistics are results 3 and 4. */
enum dg_status dg_cpu_batch_norm_functional(struct dg_call *call)
{
    struct job job = {.eps = dg_arg_real(call, 7, 1e-5),
                      .momentum = dg_arg_real(call, 6, 0.1)};
    enum dg_status status = begin(call, &job);

    if (status == DG_OK && !dg_arg_bool(call, 5, false))
        return dg_call_fail(call, DG_ERR_DEVICE, "functional batch norm evaluating");
    if (status == DG_OK)
        status = train(call, &job);
    return status ? status : give_both(call, &job, 3);
}

/* Result 3, which only the gradient reads. */
static enum dg_status give_reserve(struct dg_call *call)
{
    int64_t none = 0;

    return call->n_results <= 3 || dg_result(call, 3, DG_TYPE_U8, 1, &none)
               ? DG_OK
               : call->err->status;
}

/* input, weight, bias, running_mean, running_var, momentum, eps */
static enum dg_status train_with_reserve(struct dg_call *call, struct job *job)
{
    enum dg_status status;

    job->momentum = dg_arg_real(call, 5, 0.1);
    job->eps = dg_arg_real(call, 6, 1e-5);
    status = begin(call, job);
    if (!status)
        status = train(call, job);
    return status ? status : give_reserve(call);
}

enum dg_status dg_cpu_batch_norm_with_update(struct dg_call *call)
{
    struct job job = {0};
    enum dg_status status = train_with_reserve(call, &job);

    return status || !dg_arg_tensor(call, MEAN) ? status : update_both(call, &job);
}

enum dg_status dg_cpu_batch_norm_with_update_functional(struct dg_call *call)
{
    struct job job = {0};
    enum dg_status status = train_with_reserve(call, &job);

    return status ? status : give_both(call, &job, 4);
}

/* input, weight, bias, running_mean, running_var, momentum, eps */
enum dg_status dg_cpu_batch_norm_no_update(struct dg_call *call)
{
    enum dg_status status = dg_cpu_batch_norm_evaluating(call);

    return status ? status : give_reserve(call);
}
