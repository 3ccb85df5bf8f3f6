/* Losses that pick a class: nll_loss and cross_entropy_loss.
 *
 * Classes are dimension 1, or the only one; what is before and behind it is a sample.
 */
#include "kernels/cpu/loss.h"

#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"

struct job {
    struct dg_tensor *in;
    int64_t outer, classes, inner, n; /* n = outer * inner samples */
    const double *scores;             /* [outer, classes, inner] */
    const double *weight;             /* of classes, or NULL */
    const double *shares;             /* targets of each class, as scores; or NULL */
    int64_t *targets;                 /* of samples, or NULL */
    int64_t ignored;
    double smoothing;
    bool logits; /* scores are taken the log_softmax of */
    bool narrow;
};

/* A sample's loss, and the weight that it counts with in a mean. */
struct sample {
    double loss, weight;
};

static double weight_of(const struct job *job, int64_t class)
{
    return job->weight ? job->weight[class] : 1;
}

/* Scores of sample `i` as they are, or their log_softmax. */
static void read_scores(const struct job *job, int64_t i, double *line, double *powers)
{
    const double *scores =
        job->scores + i / job->inner * job->classes * job->inner + i % job->inner;
    double log_sum;

    for (int64_t c = 0; c < job->classes; c++)
        powers[c] = line[c] = scores[c * job->inner];
    if (!job->logits)
        return;
    log_sum = dg_softmax_line(powers, job->classes, job->narrow);
    for (int64_t c = 0; c < job->classes; c++)
        line[c] -= log_sum;
}

static struct sample of_shares(const struct job *job, int64_t i, const double *line)
{
    const double *shares =
        job->shares + i / job->inner * job->classes * job->inner + i % job->inner;
    double rest = job->smoothing / (double)job->classes, loss = 0;

    for (int64_t c = 0; c < job->classes; c++)
        loss -= line[c] * weight_of(job, c) *
                (shares[c * job->inner] * (1 - job->smoothing) + rest);
    return (struct sample){loss, 1};
}

static struct sample of_target(const struct job *job, int64_t i, const double *line)
{
    int64_t target = job->targets[i];
    double weight, loss, rest = 0;

    if (target == job->ignored)
        return (struct sample){0, 0};
    weight = weight_of(job, target);
    loss = -line[target] * weight;
    for (int64_t c = 0; c < job->classes && job->smoothing > 0; c++)
        rest -= line[c] * weight_of(job, c);
    if (job->smoothing > 0)
        loss =
            loss * (1 - job->smoothing) + rest * job->smoothing / (double)job->classes;
    return (struct sample){loss, weight};
}

/* The losses of all samples, and in *total their sum and weight. */
static enum dg_status compute(struct dg_call *call, const struct job *job,
                              double *losses, struct sample *total)
{
    double *line = dg_scratch(call, job->n ? job->classes : 0, sizeof(*line));
    double *powers = dg_scratch(call, job->n ? job->classes : 0, sizeof(*powers));

    if (!line || !powers)
        return call->err->status;
    for (int64_t i = 0; i < job->n; i++) {
        struct sample sample;

        read_scores(job, i, line, powers);
        sample = job->shares ? of_shares(job, i, line) : of_target(job, i, line);
        losses[i] = sample.loss;
        total->weight += sample.weight;
    }
    total->loss = dg_sum_line(losses, job->n, job->narrow);
    return DG_OK;
}

static enum dg_status give_number(struct dg_call *call, size_t result,
                                  enum dg_type type, double value)
{
    struct dg_tensor *tensor = dg_result(call, result, type, 0, NULL);

    if (!tensor)
        return call->err->status;
    dg_store_f64(tensor->type, dg_tensor_data(tensor), 1, &value, 1);
    return DG_OK;
}

static enum dg_status give_all(struct dg_call *call, const struct job *job,
                               const double *losses)
{
    int64_t sizes[DG_RANK_MOST];
    int rank = 0;
    struct dg_tensor *tensor;

    for (int dim = 0; dim < job->in->rank; dim++) {
        if (dim != (job->in->rank > 1))
            sizes[rank++] = job->in->sizes[dim];
    }
    tensor = dg_result(call, 0, job->in->type, rank, sizes);
    if (!tensor)
        return call->err->status;
    dg_store_f64(tensor->type, dg_tensor_data(tensor), 1, losses, job->n);
    return DG_OK;
}

static enum dg_status run(struct dg_call *call, const struct job *job,
                          int64_t reduction)
{
    double *losses = dg_scratch(call, job->n, sizeof(*losses));
    struct sample total = {0, 0};
    enum dg_status status =
        losses ? compute(call, job, losses, &total) : call->err->status;

    if (status)
        return status;
    if (reduction == DG_LOSS_EACH)
        status = give_all(call, job, losses);
    else
        status = give_number(call, 0, job->in->type,
                             reduction == DG_LOSS_MEAN ? total.loss / total.weight
                                                       : total.loss);
    if (status == DG_OK && call->n_results > 1)
        status = give_number(
            call, 1, job->in->type,
            reduction == DG_LOSS_EACH && job->in->rank > 1 ? 0 : total.weight);
    return status;
}

/* One class for each sample: integers, each a class or what is ignored. */
static enum dg_status read_targets(struct dg_call *call, struct job *job,
                                   struct dg_tensor *target)
{
    struct dg_tensor *line;

    if (dg_tensor_count(target) != job->n)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld targets for %lld samples",
                            (long long)dg_tensor_count(target), (long long)job->n);
    line = dg_contiguous(call, target);
    if (!line)
        return call->err->status;
    job->targets = dg_scratch(call, job->n, sizeof(*job->targets));
    if (job->targets)
        dg_load_i64(job->targets, line->type, dg_tensor_data(line), 1, job->n);
    dg_tensor_drop(line);
    if (!job->targets)
        return call->err->status;
    for (int64_t i = 0; i < job->n; i++) {
        int64_t class = job->targets[i];

        if (class != job->ignored && (class < 0 || class >= job->classes))
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "target %lld is out of range for %lld classes",
                                (long long)class, (long long)job->classes);
    }
    return DG_OK;
}

static enum dg_status read_shares(struct dg_call *call, struct job *job,
                                  struct dg_tensor *target)
{
    if (!dg_tensor_same_shape(target, job->in))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "shares of classes of %lld elements for scores of %lld",
                            (long long)dg_tensor_count(target),
                            (long long)dg_tensor_count(job->in));
    job->shares = dg_load_all(call, target);
    return job->shares ? DG_OK : call->err->status;
}

enum dg_status dg_load_class_weights(struct dg_call *call, struct dg_tensor *tensor,
                                     int64_t classes, const double **weight)
{
    if (!tensor)
        return DG_OK;
    if (dg_tensor_count(tensor) != classes)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld weights for %lld classes",
                            (long long)dg_tensor_count(tensor), (long long)classes);
    *weight = dg_load_all(call, tensor);
    return *weight ? DG_OK : call->err->status;
}

static void set_sizes(struct job *job)
{
    const struct dg_tensor *in = job->in;
    int dim = in->rank > 1;

    job->classes = in->sizes[dim];
    job->outer = dim ? in->sizes[0] : 1;
    job->inner = 1;
    while (++dim < in->rank)
        job->inner *= in->sizes[dim];
    job->n = job->outer * job->inner;
}

/* self, target, weight, reduction, ignore_index */
static enum dg_status begin(struct dg_call *call, struct job *job)
{
    struct dg_tensor *target = dg_arg_tensor(call, 1);
    enum dg_status status;

    job->in = dg_arg_tensor(call, 0);
    if (!job->in || !target || job->in->rank < 1 || !dg_type_is_float(job->in->type))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "scores of rank 1 or more and targets are needed");
    set_sizes(job);
    job->ignored = dg_arg_int(call, 4, -100);
    job->narrow = dg_sums_are_narrow(call->context, job->in->type);
    job->scores = dg_load_all(call, job->in);
    if (!job->scores)
        return call->err->status;
    status =
        dg_load_class_weights(call, dg_arg_tensor(call, 2), job->classes, &job->weight);
    if (status)
        return status;
    return dg_type_is_float(target->type) && job->logits
               ? read_shares(call, job, target)
               : read_targets(call, job, target);
}

/* nll_loss and its kin: result 1, if any, is the weight of all samples. */
enum dg_status dg_cpu_nll_loss(struct dg_call *call)
{
    struct job job = {.smoothing = 0};
    enum dg_status status = begin(call, &job);

    return status ? status : run(call, &job, dg_arg_int(call, 3, DG_LOSS_MEAN));
}

/* ..., label_smoothing */
enum dg_status dg_cpu_cross_entropy_loss(struct dg_call *call)
{
    struct job job = {.smoothing = dg_arg_real(call, 5, 0), .logits = true};
    enum dg_status status = begin(call, &job);

    return status ? status : run(call, &job, dg_arg_int(call, 3, DG_LOSS_MEAN));
}
