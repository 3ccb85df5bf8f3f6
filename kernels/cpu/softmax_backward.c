/* Gradients of softmax and log_softmax, from their results. */
#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/sums.h"

/* Lines of `n` elements, `inner` apart, that begin at every element of an outer one. */
struct job {
    const double *gradient, *output;
    double *made;
    int64_t n, inner;
    bool narrow;
};

typedef void line_fn(const struct job *job, int64_t start, double *terms);

/* output * (gradient - sum(gradient * output)) */
static void of_softmax(const struct job *job, int64_t start, double *terms)
{
    double sum;

    for (int64_t i = 0; i < job->n; i++)
        terms[i] =
            job->gradient[start + i * job->inner] * job->output[start + i * job->inner];
    sum = dg_sum_line(terms, job->n, job->narrow);
    for (int64_t i = 0; i < job->n; i++) {
        int64_t at = start + i * job->inner;

        job->made[at] = (job->gradient[at] - sum) * job->output[at];
    }
}

/* gradient - exp(output) * sum(gradient) */
static void of_log_softmax(const struct job *job, int64_t start, double *terms)
{
    double sum;

    for (int64_t i = 0; i < job->n; i++)
        terms[i] = job->gradient[start + i * job->inner];
    sum = dg_sum_line(terms, job->n, job->narrow);
    for (int64_t i = 0; i < job->n; i++) {
        int64_t at = start + i * job->inner;

        job->made[at] = job->gradient[at] - exp(job->output[at]) * sum;
    }
}

/* Every line of the job, whose gradient and output are read. */
static enum dg_status compute(struct dg_call *call, struct job *job, int64_t count,
                              line_fn *fn)
{
    double *terms = dg_scratch(call, job->n, sizeof(*terms));

    job->made = dg_scratch(call, count, sizeof(*job->made));
    if (!terms || !job->made)
        return call->err->status;
    for (int64_t line = 0; line < count / job->n; line++)
        fn(job, line / job->inner * job->n * job->inner + line % job->inner, terms);
    return DG_OK;
}

/* grad_output, output, dim, input_dtype */
static enum dg_status run(struct dg_call *call, line_fn *fn)
{
    struct dg_tensor *gradient = dg_arg_tensor(call, 0),
                     *output = dg_arg_tensor(call, 1);
    struct dg_tensor *result;
    struct job job = {.n = 1, .inner = 1};
    int dim;
    enum dg_status status;

    if (!gradient || !output || !dg_tensor_same_shape(gradient, output) ||
        !dg_type_is_float(gradient->type) || !dg_type_is_float(output->type))
        return dg_call_fail(call, DG_ERR_FORMAT, "two tensors of one shape are needed");
    if (!dg_dimension(call, dg_arg_int(call, 2, -1), output->rank, &dim))
        return call->err->status;
    result = dg_result(call, 0, dg_arg_type(call, 3, gradient->type), output->rank,
                       output->sizes);
    if (!result || !dg_tensor_count(output))
        return result ? DG_OK : call->err->status;
    job.n = output->rank ? output->sizes[dim] : 1;
    for (int behind = dim + 1; behind < output->rank; behind++)
        job.inner *= output->sizes[behind];
    job.narrow = dg_sums_are_narrow(call->context, gradient->type);
    job.gradient = dg_load_all(call, gradient);
    job.output = job.gradient ? dg_load_all(call, output) : NULL;
    if (!job.output)
        return call->err->status;
    status = compute(call, &job, dg_tensor_count(output), fn);
    if (status == DG_OK)
        dg_store_f64(result->type, dg_tensor_data(result), 1, job.made,
                     dg_tensor_count(output));
    return status;
}

enum dg_status dg_cpu_softmax_backward(struct dg_call *call)
{
    return run(call, of_softmax);
}

enum dg_status dg_cpu_log_softmax_backward(struct dg_call *call)
{
    return run(call, of_log_softmax);
}
