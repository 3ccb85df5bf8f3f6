/* Instance norm that keeps running statistics. As torch has it, samples and channels
 * together are the channels of a batch norm, and the new statistics are the means over
 * the samples. */
#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/norms.h"
#include "kernels/cpu/walk.h"

enum { WEIGHT = 1, MEAN = 3, VARIANCE = 4, TRAINING = 5, EPS = 7 }; /* arguments */
enum { OUTPUT = 0, RUNNING = 3, RESULTS = 5 }; /* of a batch norm */

/* The input as one sample: one share; NULL: failed. */
static struct dg_tensor *as_one_sample(struct dg_call *call, struct dg_tensor *in)
{
    struct dg_tensor *whole = dg_contiguous(call, in), *view;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];

    if (!whole)
        return NULL;
    sizes[0] = 1;
    if (__builtin_mul_overflow(in->sizes[0], in->sizes[1], &sizes[1])) {
        dg_tensor_drop(whole);
        dg_call_fail(call, DG_ERR_FORMAT, "more channels than can be counted");
        return NULL;
    }
    for (int dim = 2; dim < in->rank; dim++)
        sizes[dim] = in->sizes[dim];
    dg_contiguous_strides(in->rank, sizes, strides);
    view = dg_tensor_view(whole, in->rank, sizes, strides, whole->offset);
    dg_tensor_drop(whole);
    return view;
}

/* The batch norm of `sample`, with weights and statistics for each of its channels. */
static enum dg_status normalize(struct dg_call *call, struct dg_tensor *sample,
                                int64_t n_samples, struct dg_arg results[RESULTS])
{
    struct dg_arg args[EPS + 1] = {dg_tensor_arg(sample)};
    struct dg_call norm = *call;
    enum dg_status status = DG_OK;

    for (size_t i = WEIGHT; i <= VARIANCE && !status; i++) {
        struct dg_tensor *given = dg_arg_tensor(call, i);

        args[i] = dg_tensor_arg(
            dg_apply_ints(call, dg_cpu_repeat, dg_tensor_keep(given), 1, &n_samples));
        status = given && args[i].kind == DG_ARG_NONE ? call->err->status : DG_OK;
    }
    args[TRAINING] = (struct dg_arg){DG_ARG_BOOL, {.integer = true}};
    for (size_t i = TRAINING + 1; i <= EPS && i < call->n_args; i++)
        args[i] = call->args[i];
    norm.args = args;
    norm.n_args = EPS + 1;
    norm.results = results;
    norm.n_results = RESULTS;
    if (!status)
        status = dg_cpu_batch_norm_functional(&norm);
    for (size_t i = WEIGHT; i <= VARIANCE; i++)
        dg_arg_drop(&args[i]);
    return status;
}

/* Argument `arg` becomes the mean of `moved` over the samples. */
static enum dg_status keep_mean(struct dg_call *call, size_t arg,
                                const struct dg_tensor *moved, int64_t n_samples)
{
    struct dg_tensor *kept = dg_arg_tensor(call, arg), *mean;
    int64_t sizes[2] = {n_samples, kept->sizes[0]};
    int64_t strides[2] = {sizes[1], 1}, samples = 0;
    enum dg_status status;

    mean = dg_apply_ints(call, dg_cpu_mean_dims,
                         dg_tensor_view(moved, 2, sizes, strides, moved->offset), 1,
                         &samples);
    status = mean ? dg_tensor_own(kept, call->err) : call->err->status;
    if (!status)
        dg_copy_elements(kept, mean, call->context->n_threads);
    dg_tensor_drop(mean);
    return status;
}

enum dg_status dg_instance_norm_moving(struct dg_call *call)
{
    struct dg_tensor *in = dg_need_tensor(call, 0), *sample, *kept[2];
    struct dg_arg results[RESULTS] = {{0}};
    int64_t strides[DG_RANK_MOST];
    enum dg_status status;

    kept[0] = dg_need_tensor(call, MEAN);
    kept[1] = dg_need_tensor(call, VARIANCE);
    if (!in || !kept[0] || !kept[1])
        return call->err->status;
    for (int i = 0; i < 2; i++) {
        if (in->rank < 2 || kept[i]->rank != 1 || kept[i]->sizes[0] != in->sizes[1])
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "running statistics that are not one of each channel");
    }
    sample = as_one_sample(call, in);
    status =
        sample ? normalize(call, sample, in->sizes[0], results) : call->err->status;
    for (size_t i = 0; i < 2 && !status; i++)
        status =
            keep_mean(call, MEAN + i, results[RUNNING + i].as.tensor, in->sizes[0]);
    dg_contiguous_strides(in->rank, in->sizes, strides);
    if (!status)
        dg_give(
            call, 0,
            dg_tensor_view(results[OUTPUT].as.tensor, in->rank, in->sizes, strides, 0));
    for (int i = 0; i < RESULTS; i++)
        dg_arg_drop(&results[i]);
    dg_tensor_drop(sample);
    return status;
}
