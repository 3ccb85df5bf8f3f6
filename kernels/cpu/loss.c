/* Losses that compare two tensors element by element. */
#include "kernels/cpu/loss.h"

#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/special.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"

/* x is the prediction, y the target; the others are 1 where there is none. */
struct element {
    double x, y, weight, positive, parameter;
    enum dg_type step; /* each step is rounded to it; F64: none is */
};

typedef double loss_fn(struct element e);

static double step(struct element e, double value)
{
    return e.step == DG_TYPE_F64 ? value : dg_in_type(e.step, value);
}

static double distance_of(struct element e)
{
    return step(e, fabs(e.x - e.y));
}

static double squared(struct element e)
{
    double distance = distance_of(e);

    return distance * distance;
}

static double absolute(struct element e)
{
    return fabs(e.x - e.y);
}

static double half_square(struct element e, double distance)
{
    return step(e, 0.5 * distance) * distance;
}

static double smooth(struct element e)
{
    double distance = distance_of(e);

    return distance < e.parameter ? step(e, half_square(e, distance)) / e.parameter
                                  : distance - step(e, 0.5 * e.parameter);
}

static double huber(struct element e)
{
    double distance = distance_of(e);

    return distance < e.parameter
               ? half_square(e, distance)
               : e.parameter * step(e, distance - step(e, 0.5 * e.parameter));
}

static double at_least(double x, double least)
{
    return x < least ? least : x; /* NaN stays */
}

/* Logarithms are not taken below -100. */
static double cross_entropy(struct element e)
{
    return -e.weight *
           (e.y * at_least(log(e.x), -100) + (1 - e.y) * at_least(log1p(-e.x), -100));
}

/* Where both parts are large, they cancel. */
static double cross_entropy_of_logits(struct element e)
{
    double log_sigmoid = step(e, -log1p(exp(-fabs(e.x))) - at_least(-e.x, 0));
    double factor = step(e, step(e, step(e, e.positive - 1) * e.y) + 1);
    double other = step(e, step(e, 1 - e.y) * e.x);

    return e.weight * step(e, other - step(e, factor * log_sigmoid));
}

static double divergence(struct element e)
{
    return e.y == 0 ? 0 : e.y * (log(e.y) - e.x);
}

static double divergence_of_logarithms(struct element e)
{
    return exp(e.y) * (e.y - e.x);
}

struct loss {
    loss_fn *of;
    size_t weight, positive; /* places of arguments; 0: there is none */
    size_t reduction;
    double parameter;
    bool steps_of_f16, steps_of_bf16; /* torch computes it in that type, step by step */
    bool own_steps;                   /* own sums do so in any type */
};

struct operands {
    int rank;
    int64_t sizes[DG_RANK_MOST], n;
    enum dg_type type; /* of the result */
    const double *values[4];
};

/* x, y, weight and positive, all of one shape; missing ones stay NULL. */
static enum dg_status read_operands(struct dg_call *call, const struct loss *loss,
                                    struct operands *operands)
{
    size_t places[] = {0, 1, loss->weight, loss->positive};
    struct dg_tensor *tensors[4];
    enum dg_status status;

    for (int i = 0; i < 4; i++)
        tensors[i] = i < 2 || places[i] ? dg_arg_tensor(call, places[i]) : NULL;
    if (!tensors[0] || !tensors[1])
        return dg_call_fail(call, DG_ERR_FORMAT, "a tensor is missing");
    status = dg_broadcast(call, 4, tensors, &operands->rank, operands->sizes);
    operands->type = dg_common_type(call->args, 2);
    if (status)
        return status;
    if (!dg_type_is_float(operands->type))
        return dg_call_fail(call, DG_ERR_DEVICE, "a loss of %s",
                            dg_type_name(operands->type));
    for (int i = 0; i < 4; i++) {
        struct dg_tensor view;

        if (!tensors[i])
            continue;
        view = *tensors[i];
        dg_expand(&view, operands->rank, operands->sizes);
        operands->n = dg_tensor_count(&view);
        operands->values[i] = dg_load_all(call, &view);
        if (!operands->values[i])
            return call->err->status;
    }
    return DG_OK;
}

static enum dg_type step_type(const struct loss *loss, enum dg_type type, bool narrow)
{
    bool stepwise = (narrow && loss->own_steps) ||
                    (type == DG_TYPE_F16 && loss->steps_of_f16) ||
                    (type == DG_TYPE_BF16 && loss->steps_of_bf16);

    return stepwise ? type : DG_TYPE_F64;
}

static void compute(const struct loss *loss, const struct operands *operands,
                    bool narrow, double *losses)
{
    const double *const *values = operands->values;
    enum dg_type step = step_type(loss, operands->type, narrow);
    double parameter = dg_in_type(step, loss->parameter);

    for (int64_t i = 0; i < operands->n; i++)
        losses[i] = loss->of(
            (struct element){values[0][i], values[1][i], values[2] ? values[2][i] : 1,
                             values[3] ? values[3][i] : 1, parameter, step});
}

/* As they are, or their mean or sum. */
static enum dg_status give(struct dg_call *call, const struct operands *operands,
                           const double *losses, int64_t reduction)
{
    bool whole = reduction == DG_LOSS_EACH;
    struct dg_tensor *result =
        dg_result(call, 0, operands->type, whole ? operands->rank : 0, operands->sizes);
    double total;

    if (!result)
        return call->err->status;
    total = dg_sum_line(losses, whole ? 0 : operands->n,
                        dg_sums_are_narrow(call->context, operands->type));
    if (reduction == DG_LOSS_MEAN)
        total /= (double)operands->n;
    dg_store_f64(result->type, dg_tensor_data(result), 1, whole ? losses : &total,
                 whole ? operands->n : 1);
    return DG_OK;
}

static enum dg_status run(struct dg_call *call, struct loss loss)
{
    struct operands operands = {.n = 0};
    double *losses;
    enum dg_status status = read_operands(call, &loss, &operands);

    if (status)
        return status;
    losses = dg_scratch(call, operands.n, sizeof(*losses));
    if (!losses)
        return call->err->status;
    compute(&loss, &operands, dg_sums_are_narrow(call->context, operands.type), losses);
    return give(call, &operands, losses,
                dg_arg_int(call, loss.reduction, DG_LOSS_MEAN));
}

enum dg_status dg_cpu_mse_loss(struct dg_call *call)
{
    return run(call, (struct loss){squared, 0, 0, 2, 0, true, true});
}

enum dg_status dg_cpu_l1_loss(struct dg_call *call)
{
    return run(call, (struct loss){absolute, 0, 0, 2, 0});
}

enum dg_status dg_cpu_smooth_l1_loss(struct dg_call *call)
{
    return run(call, (struct loss){smooth, 0, 0, 2, dg_arg_real(call, 3, 1),
                                   .steps_of_f16 = true});
}

enum dg_status dg_cpu_huber_loss(struct dg_call *call)
{
    return run(call, (struct loss){huber, 0, 0, 2, dg_arg_real(call, 3, 1),
                                   .steps_of_bf16 = true});
}

enum dg_status dg_cpu_binary_cross_entropy(struct dg_call *call)
{
    return run(call, (struct loss){cross_entropy, 2, 0, 3, 0});
}

enum dg_status dg_cpu_binary_cross_entropy_with_logits(struct dg_call *call)
{
    return run(call,
               (struct loss){cross_entropy_of_logits, 2, 3, 4, 0, .own_steps = true});
}

enum dg_status dg_cpu_kl_div(struct dg_call *call)
{
    return run(call,
               (struct loss){dg_arg_bool(call, 3, false) ? divergence_of_logarithms
                                                         : divergence,
                             0, 0, 2, 0});
}
