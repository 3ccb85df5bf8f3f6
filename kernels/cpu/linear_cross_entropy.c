/* The cross entropy of a linear layer, which torch computes in chunks of the batch,
 * with the gradients in the same pass. */
#include <string.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/loss.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/softmax.h"
#include "kernels/cpu/sums.h"

enum { INPUT, LINEAR_WEIGHT, TARGET, LINEAR_BIAS, WEIGHT }; /* arguments */

/* Of the input: one share, NULL: failed. */
static struct dg_tensor *logits_of(struct dg_call *call)
{
    if (call->n_args <= WEIGHT)
        return NULL;
    return dg_apply(call, dg_cpu_linear, dg_arg_share(call, INPUT),
                    DG_REST(call->args[LINEAR_WEIGHT], call->args[LINEAR_BIAS]));
}

static struct dg_tensor *loss_of(struct dg_call *call, struct dg_tensor *logits,
                                 int64_t reduction, int64_t ignored)
{
    if (!logits)
        return NULL;
    return dg_apply(call, dg_cpu_cross_entropy_loss, dg_tensor_keep(logits),
                    DG_REST(call->args[TARGET], call->args[WEIGHT],
                            dg_integer_arg(reduction), dg_integer_arg(ignored)));
}

/* ..., ignore_index, and how it is computed: a loss for each row. */
enum dg_status dg_cpu_linear_cross_entropy_rows(struct dg_call *call)
{
    struct dg_tensor *logits = logits_of(call);
    struct dg_tensor *loss =
        loss_of(call, logits, DG_LOSS_EACH, dg_arg_int(call, 5, -100));

    dg_tensor_drop(logits);
    return dg_finish(call, loss);
}

/* Whether there are rows of logits, and a class for each: no probabilities. */
static bool has_classes(const struct dg_call *call, const struct dg_tensor *logits)
{
    const struct dg_tensor *targets = dg_arg_tensor(call, TARGET);

    return logits->rank == 2 && targets && targets->rank == 1 &&
           dg_type_is_integer(targets->type) && targets->sizes[0] == logits->sizes[0];
}

/* How much each row counts, in the loss that is reduced; NULL: failed. */
static double *row_weights(struct dg_call *call, int64_t n, bool mean, int64_t ignored)
{
    const struct dg_tensor *targets = dg_arg_tensor(call, TARGET);
    struct dg_tensor *classes = dg_arg_tensor(call, WEIGHT);
    const double *weights = classes ? dg_load_all(call, classes) : NULL;
    double *rows = dg_scratch(call, n, sizeof(*rows)), total = 0;

    if (!rows || (classes && !weights))
        return NULL;
    for (int64_t i = 0; i < n; i++) {
        int64_t target = dg_get_i64(targets, i * targets->strides[0]);

        rows[i] = target == ignored ? 0 : weights ? weights[target] : 1;
        total += rows[i];
    }
    for (int64_t i = 0; mean && i < n; i++)
        rows[i] /= total;
    return rows;
}

/* By the logits: the softmax less 1 at the target, by the weight of the row. They were
 * checked when the loss was made. */
static struct dg_tensor *gradient_of(struct dg_call *call, struct dg_tensor *logits,
                                     bool mean, int64_t ignored)
{
    const struct dg_tensor *targets = dg_arg_tensor(call, TARGET);
    int64_t n = logits->sizes[0], classes = logits->sizes[1];
    double *rows = row_weights(call, n, mean, ignored);
    double *line = rows ? dg_scratch(call, classes, sizeof(*line)) : NULL;
    struct dg_tensor *gradient =
        line ? dg_tensor_new(call->context->memory, logits->type, 2, logits->sizes,
                             call->err)
             : NULL;

    for (int64_t i = 0; gradient && i < n; i++) {
        int64_t target = dg_get_i64(targets, i * targets->strides[0]);
        char *to = (char *)dg_tensor_data(gradient) +
                   (size_t)(i * classes) * dg_type_bytes(logits->type);

        dg_load_f64(line, logits->type,
                    (char *)dg_tensor_data(logits) +
                        (size_t)(i * classes) * dg_type_bytes(logits->type),
                    1, classes);
        dg_softmax_line(line, classes, dg_sums_are_narrow(call->context, logits->type));
        if (target != ignored)
            line[target] -= 1;
        for (int64_t k = 0; k < classes; k++)
            line[k] *= rows[i];
        dg_store_f64(gradient->type, to, 1, line, classes);
    }
    return gradient;
}

/* Gradients by what is asked for, nothing in the place of the others. */
static enum dg_status give_gradients(struct dg_call *call, struct dg_tensor *gradient)
{
    enum { BY_INPUT = 12, BY_WEIGHT, BY_BIAS };
    struct dg_arg rows = dg_integer_arg(0), dims = {DG_ARG_LIST, {.list = {&rows, 1}}};
    struct dg_tensor *made[3] = {NULL};
    bool given = true;

    if (dg_arg_bool(call, BY_INPUT, false))
        made[0] = dg_apply(call, dg_cpu_mm, dg_tensor_keep(gradient),
                           DG_REST(call->args[LINEAR_WEIGHT]));
    if (dg_arg_bool(call, BY_WEIGHT, false))
        made[1] = dg_apply(
            call, dg_cpu_mm,
            dg_apply(call, dg_cpu_matrix_transpose, dg_tensor_keep(gradient), 0, NULL),
            DG_REST(call->args[INPUT]));
    if (dg_arg_bool(call, BY_BIAS, false))
        made[2] =
            dg_apply(call, dg_cpu_sum_dims, dg_tensor_keep(gradient), DG_REST(dims));
    for (size_t i = 0; i < 3; i++) {
        if (!dg_arg_bool(call, BY_INPUT + i, false))
            made[i] = dg_tensor_new(call->context->memory, gradient->type,
                                    i < 2 ? 2 : 1, (int64_t[]){0, 0}, call->err);
        given &= dg_give(call, 1 + i, made[i]);
    }
    return given ? DG_OK : call->err->status;
}

/* ..., reduction, ignore_index, label_smoothing, and how it is computed: the loss and
 * its gradients by the input, the weight and the bias. */
enum dg_status dg_cpu_linear_cross_entropy(struct dg_call *call)
{
    int64_t ignored = dg_arg_int(call, 6, -100);
    bool mean = call->n_args > 5 && call->args[5].kind == DG_ARG_STRING &&
                !strcmp(call->args[5].as.string, "mean");
    struct dg_tensor *logits, *loss, *gradient = NULL;
    enum dg_status status;

    if (dg_arg_real(call, 7, 0) != 0)
        return dg_call_fail(call, DG_ERR_DEVICE, "label smoothing");
    logits = logits_of(call);
    loss = loss_of(call, logits, mean ? DG_LOSS_MEAN : DG_LOSS_SUM, ignored);
    if (loss && has_classes(call, logits))
        gradient = gradient_of(call, logits, mean, ignored);
    if (gradient && dg_give(call, 0, dg_tensor_keep(loss)))
        status = give_gradients(call, gradient);
    else if (call->err->status)
        status = call->err->status;
    else
        status = dg_call_fail(call, DG_ERR_FORMAT, "rows and classes are needed");
    dg_tensor_drop(logits);
    dg_tensor_drop(loss);
    dg_tensor_drop(gradient);
    return status;
}
