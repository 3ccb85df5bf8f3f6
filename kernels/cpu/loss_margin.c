/* Losses of scores that are less than a margin below that of the right class:
 * multi_margin_loss and multilabel_margin_loss.
 *
 * Scores are rows of classes, or a single row. */
#include "kernels/cpu/loss.h"

#include "kernels/cpu/line.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"

struct job {
    struct dg_tensor *in;
    int64_t n, classes;   /* rows, and scores of each */
    const double *scores; /* [n, classes] */
    const double *weight; /* of classes, or NULL */
    int64_t *targets;     /* a class for each row, or as many as there are scores */
    double margin;
    bool squared;
    bool narrow;
};

/* Scores, and targets, which are checked to be no floats. */
static enum dg_status begin(struct dg_call *call, struct job *job,
                            const struct dg_tensor *target)
{
    struct dg_tensor *in = job->in = dg_arg_tensor(call, 0);

    if (!in || !target || in->rank > 2 || !dg_type_is_float(in->type) ||
        dg_type_is_float(target->type) || dg_type_is_complex(target->type))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "scores of rank 2 or less and classes are needed");
    job->n = in->rank == 2 ? in->sizes[0] : 1;
    job->classes = in->rank ? in->sizes[in->rank - 1] : 1;
    job->narrow = dg_sums_are_narrow(call->context, in->type);
    job->scores = dg_load_all(call, in);
    return job->scores ? DG_OK : call->err->status;
}

/* `count` classes, each from `least` on. */
static enum dg_status read_targets(struct dg_call *call, struct job *job,
                                   struct dg_tensor *target, int64_t count,
                                   int64_t least)
{
    struct dg_tensor *line;

    if (dg_tensor_count(target) != count)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld targets where %lld are needed",
                            (long long)dg_tensor_count(target), (long long)count);
    line = dg_contiguous(call, target);
    job->targets = line ? dg_scratch(call, count, sizeof(*job->targets)) : NULL;
    if (job->targets)
        dg_load_i64(job->targets, line->type, dg_tensor_data(line), 1, count);
    dg_tensor_drop(line);
    for (int64_t i = 0; job->targets && i < count; i++) {
        if (job->targets[i] < least || job->targets[i] >= job->classes)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "target %lld is out of range for %lld classes",
                                (long long)job->targets[i], (long long)job->classes);
    }
    return job->targets ? DG_OK : call->err->status;
}

/* How far a score comes too near to that of the right class; each step rounds where
 * sums are narrow. */
static double excess(const struct job *job, double right, double score)
{
    double distance = job->margin - right;

    if (job->narrow)
        distance = (float)distance;
    distance += score;
    return distance > 0 ? distance : 0;
}

/* Loss of row `i`; `terms` has room for all classes. */
static double of_one_class(const struct job *job, int64_t i, double *terms)
{
    const double *scores = job->scores + i * job->classes;
    int64_t target = job->targets[i];

    for (int64_t c = 0; c < job->classes; c++) {
        double loss = excess(job, scores[target], scores[c]);

        if (c == target)
            loss = 0;
        terms[c] = job->squared ? loss * loss : loss;
        if (job->weight)
            terms[c] *= job->weight[target];
    }
    return dg_sum_line(terms, job->classes, job->narrow) / (double)job->classes;
}

/* Targets of row `i` up to the first negative one are right: `is_target` becomes 1
 * there. */
static double of_labels(const struct job *job, int64_t i, double *terms,
                        double *is_target)
{
    const double *scores = job->scores + i * job->classes;
    const int64_t *targets = job->targets + i * job->classes;
    double sum = 0;

    for (int64_t k = 0; k < job->classes && targets[k] >= 0; k++)
        is_target[targets[k]] = 1;
    for (int64_t k = 0; k < job->classes && targets[k] >= 0; k++) {
        for (int64_t c = 0; c < job->classes; c++)
            terms[c] = is_target[c] ? 0 : excess(job, scores[targets[k]], scores[c]);
        sum += dg_sum_line(terms, job->classes, job->narrow);
    }
    return sum / (double)job->classes;
}

/* The losses, one for each row or reduced. */
static enum dg_status give(struct dg_call *call, const struct job *job,
                           const double *losses, int64_t reduction)
{
    bool each = reduction == DG_LOSS_EACH;
    struct dg_tensor *result =
        dg_result(call, 0, job->in->type, each && job->in->rank == 2, &job->n);
    double total;

    if (!result)
        return call->err->status;
    total = dg_sum_line(losses, each ? 0 : job->n, job->narrow);
    if (reduction == DG_LOSS_MEAN)
        total /= (double)job->n;
    dg_store_f64(result->type, dg_tensor_data(result), 1, each ? losses : &total,
                 each ? job->n : 1);
    return DG_OK;
}

/* self, target, p, margin, weight, reduction */
enum dg_status dg_cpu_multi_margin_loss(struct dg_call *call)
{
    struct dg_tensor *target = dg_arg_tensor(call, 1);
    int64_t power = dg_arg_int(call, 2, 1);
    struct job job = {.margin = dg_arg_real(call, 3, 1), .squared = power == 2};
    enum dg_status status = begin(call, &job, target);
    double *losses, *terms;

    if (status == DG_OK && power != 1 && power != 2)
        status = dg_call_fail(call, DG_ERR_FORMAT, "the power %lld of a margin; 1 or 2",
                              (long long)power);
    if (status == DG_OK)
        status = read_targets(call, &job, target, job.n, 0);
    if (status == DG_OK)
        status = dg_load_class_weights(call, dg_arg_tensor(call, 4), job.classes,
                                       &job.weight);
    if (status)
        return status;
    losses = dg_scratch(call, job.n, sizeof(*losses));
    terms = dg_scratch(call, job.classes, sizeof(*terms));
    if (!losses || !terms)
        return call->err->status;
    for (int64_t i = 0; i < job.n; i++)
        losses[i] = of_one_class(&job, i, terms);
    return give(call, &job, losses, dg_arg_int(call, 5, DG_LOSS_MEAN));
}

/* self, target, reduction; result 1, if asked for, says which classes are targets */
enum dg_status dg_cpu_multilabel_margin_loss(struct dg_call *call)
{
    struct dg_tensor *target = dg_arg_tensor(call, 1), *mask;
    struct job job = {.margin = 1};
    enum dg_status status = begin(call, &job, target);
    double *losses, *terms, *is_target;

    if (status == DG_OK)
        status = read_targets(call, &job, target, job.n * job.classes, INT64_MIN);
    if (status)
        return status;
    losses = dg_scratch(call, job.n, sizeof(*losses));
    terms = dg_scratch(call, job.classes, sizeof(*terms));
    is_target = dg_scratch(call, job.n * job.classes, sizeof(*is_target));
    if (!losses || !terms || !is_target)
        return call->err->status;
    for (int64_t i = 0; i < job.n; i++)
        losses[i] = of_labels(&job, i, terms, is_target + i * job.classes);
    status = give(call, &job, losses, dg_arg_int(call, 2, DG_LOSS_MEAN));
    if (status || call->n_results < 2)
        return status;
    mask = dg_result(call, 1, job.in->type, target->rank, target->sizes);
    if (mask)
        dg_store_f64(mask->type, dg_tensor_data(mask), 1, is_target,
                     job.n * job.classes);
    return mask ? DG_OK : call->err->status;
}
