/* Steps that are linear in an argument: two evaluations share the exact sums. */
#include "exec/call_linear.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/compare.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/vectorize.h"
#include "kernels/xnnpack.h"

enum {
    WORTH = 16, /* of products for each element of the argument and of the result */
    PIECE = 1 << 14, /* elements that a thread looks at together */
};

/* What is rounded away of numbers that f32 has is none of the least of f32 then. */
static const double SCALE = 0x1p40;

void dg_linear_sums_clear(struct dg_linear_sums *linear)
{
    dg_args_drop(linear->args, linear->n_args);
    free(linear->args);
    dg_tensor_drop(linear->sums);
    *linear = (struct dg_linear_sums){0};
}

/* Of which argument, and where what is added stands. */
static struct dg_linear linear_of(const struct dg_step *step)
{
    return step->xnnpack ? dg_xnn_linear_in(step->xnnpack) : step->kernel->linear;
}

static bool is_single(const struct dg_arg *arg)
{
    return arg->kind == DG_ARG_TENSOR && arg->as.tensor->type == DG_TYPE_F32;
}

/* How many products stand behind each element of the argument, or of the result, where
 * that is fewer: as if the other arguments were a matrix. */
static int64_t products_of(const struct dg_tensor *weight)
{
    int64_t most = 1;

    for (int dim = 0; dim < weight->rank; dim++)
        most = weight->sizes[dim] > most ? weight->sizes[dim] : most;
    return dg_tensor_count(weight) / most;
}

/* Tensors are of f32, and one besides the argument is large. */
static bool is_worth_it(const struct dg_running *running)
{
    const struct dg_call *call = &running->call;
    size_t input = linear_of(running->step).input;
    bool worth = false;

    for (size_t i = 0; i < call->n_args; i++) {
        const struct dg_arg *arg = &call->args[i];

        if (arg->kind == DG_ARG_LIST && arg->as.list.n_items &&
            arg->as.list.items->kind == DG_ARG_TENSOR)
            return false;
        if (arg->kind != DG_ARG_TENSOR)
            continue;
        if (!is_single(arg))
            return false;
        worth |= i != input && products_of(arg->as.tensor) >= WORTH;
    }
    return worth && input < call->n_args && is_single(&call->args[input]);
}

/* The call with other arguments in another precision, and results of any size. */
static enum dg_status run_as(struct dg_running *running, enum dg_precision precision,
                             const struct dg_arg *args, size_t n_args,
                             struct dg_arg *result)
{
    struct dg_context context = running->machine->context;
    struct dg_call call = running->call;
    struct dg_xnn_step unbounded;

    context.precision = precision;
    call.context = &context;
    call.args = args;
    call.n_args = n_args;
    call.results = result;
    if (call.xnnpack) {
        unbounded = *call.xnnpack;
        unbounded.least = -INFINITY;
        unbounded.most = INFINITY;
        call.xnnpack = &unbounded;
    }
    return dg_kernel_run(running->step->kernel, &call);
}

/* The result takes over the share; nodes of XNNPACK have bounds. */
static enum dg_status give(struct dg_running *running, struct dg_tensor *tensor)
{
    if (tensor && running->step->xnnpack)
        dg_xnn_clamp(running->step->xnnpack, tensor);
    return dg_give(&running->call, 0, tensor) ? DG_OK : running->err->status;
}

/* In f64, with the arguments that a wide run has: those of XNNPACK's nodes are widened,
 * but for weights. */
static enum dg_status run_widened(struct dg_running *running, struct dg_arg *result)
{
    const struct dg_call *call = &running->call;
    struct dg_arg *args =
        dg_alloc(&running->frame->scratch, call->n_args + 1, sizeof(*args));
    enum dg_status status = DG_OK;

    for (size_t i = 0; i < call->n_args && !status; i++) {
        dg_arg_set(&args[i], &call->args[i]);
        if (args[i].kind != DG_ARG_TENSOR || !call->xnnpack ||
            dg_xnn_widens(call->xnnpack, i))
            continue;
        dg_arg_drop(&args[i]);
        args[i].as.tensor = dg_cast(running->machine, call->args[i].as.tensor,
                                    DG_TYPE_F64, running->err);
        args[i].kind = args[i].as.tensor ? DG_ARG_TENSOR : DG_ARG_NONE;
        status = args[i].as.tensor ? DG_OK : running->err->status;
    }
    if (!status)
        status = run_as(running, DG_PRECISION_WIDE, args, call->n_args, result);
    dg_args_drop(args, call->n_args);
    return status;
}

/* The result as it is before it is rounded goes to the wide evaluation. */
static enum dg_status run_exact(struct dg_running *running)
{
    struct dg_linear_sums *left = running->machine->linear_sums;
    const struct dg_call *call = &running->call;
    struct dg_arg sums = {0};
    enum dg_status status;

    dg_linear_sums_clear(left);
    status = run_widened(running, &sums);
    if (status)
        return status;
    left->step = running->step;
    left->sums = sums.as.tensor;
    left->args = calloc(call->n_args + 1, sizeof(*left->args));
    for (size_t i = 0; left->args && i < call->n_args; i++)
        dg_arg_set(&left->args[left->n_args++], &call->args[i]);
    return give(running,
                dg_cast(running->machine, left->sums, DG_TYPE_F32, running->err));
}

static bool lies_alike(const struct dg_tensor *a, const struct dg_tensor *b)
{
    return dg_tensor_same_shape(a, b) && a->offset == b->offset &&
           !memcmp(a->strides, b->strides, (size_t)a->rank * sizeof(*a->strides));
}

/* Whether one in f64 has the numbers of one in f32. */
static bool is_widened(const struct dg_tensor *wide, const struct dg_tensor *narrow)
{
    const double *doubles = (const void *)wide->storage->bytes;
    const float *singles = (const void *)narrow->storage->bytes;
    int64_t n = dg_tensor_reach(narrow), i = narrow->offset;

    if (wide->type != DG_TYPE_F64 || !lies_alike(wide, narrow))
        return false;
    while (i < n && doubles[i] == (double)singles[i])
        i++;
    return i == n;
}

static bool is_same(const struct dg_arg *wide, const struct dg_arg *exact)
{
    const struct dg_tensor *a = wide->as.tensor, *b = exact->as.tensor;

    if (wide->kind != DG_ARG_TENSOR || exact->kind != DG_ARG_TENSOR)
        return dg_same_bits(wide, exact);
    if (a->type != b->type)
        return is_widened(a, b);
    return a->storage->bytes == b->storage->bytes && lies_alike(a, b);
}

/* Whether the reference computed this from the same, but for the argument. */
static bool is_of_same(const struct dg_running *running)
{
    const struct dg_linear_sums *left = running->machine->linear_sums;
    const struct dg_call *call = &running->call;
    size_t input = linear_of(running->step).input;

    if (left->step != running->step || !left->sums || left->n_args != call->n_args ||
        call->args[input].kind != DG_ARG_TENSOR ||
        call->args[input].as.tensor->type != DG_TYPE_F64 ||
        !dg_tensor_same_shape(call->args[input].as.tensor, left->args[input].as.tensor))
        return false;
    for (size_t i = 0; i < call->n_args; i++) {
        if (i != input && !is_same(&call->args[i], &left->args[i]))
            return false;
    }
    return true;
}

/* Elements of both evaluations, contiguous. */
struct pair {
    double *wide;
    const float *exact;
    float *rest; /* what wide is besides: SCALE times that */
    int64_t n;
    bool *told; /* by piece: some of the rest is not 0; all of it is finite */
};

static int64_t end_of(const struct pair *pair, int64_t piece)
{
    return (piece + 1) * PIECE < pair->n ? (piece + 1) * PIECE : pair->n;
}

static void take_rest(void *data, int64_t from, int64_t to)
{
    const struct pair *pair = data;

    for (int64_t piece = from; piece < to; piece++) {
        int any = 0;

        for (int64_t i = piece * PIECE; i < end_of(pair, piece); i++) {
            float rest = (float)((pair->wide[i] - (double)pair->exact[i]) * SCALE);

            pair->rest[i] = rest;
            any |= rest != 0;
        }
        pair->told[piece] = any;
    }
}

static void add_rest(void *data, int64_t from, int64_t to)
{
    const struct pair *pair = data;

    for (int64_t piece = from; piece < to; piece++) {
        int finite = 1;

        for (int64_t i = piece * PIECE; i < end_of(pair, piece); i++) {
            finite &= fabsf(pair->rest[i]) <= FLT_MAX;
            pair->wide[i] += (double)pair->rest[i] / SCALE;
        }
        pair->told[piece] = finite;
    }
}

/* How many pieces were told of. */
static int64_t count_told(struct dg_running *running, struct pair *pair,
                          dg_range_fn *look, int64_t *n_pieces)
{
    int64_t n = (pair->n + PIECE - 1) / PIECE, told = 0;

    pair->told = dg_alloc(&running->frame->scratch, (size_t)n + 1, sizeof(bool));
    dg_parallel(running->machine->context.n_threads, n, 1, look, pair);
    for (int64_t piece = 0; piece < n; piece++)
        told += pair->told[piece];
    *n_pieces = n;
    return told;
}

/* The rest of the argument, in f32: one share; *any: it is not 0 everywhere. */
static struct dg_tensor *rest_of(struct dg_running *running, bool *any)
{
    struct dg_machine *machine = running->machine;
    size_t input = linear_of(running->step).input;
    struct dg_tensor *given = running->call.args[input].as.tensor;
    struct dg_tensor *exact =
        dg_dense(machine, machine->linear_sums->args[input].as.tensor, running->err);
    struct dg_tensor *wide = exact ? dg_dense(machine, given, running->err) : NULL;
    struct dg_tensor *rest =
        wide ? dg_tensor_new(&dg_host_memory, DG_TYPE_F32, given->rank, given->sizes,
                             running->err)
             : NULL;
    int64_t n_pieces;

    if (rest) {
        struct pair pair = {dg_tensor_data(wide), dg_tensor_data(exact),
                            dg_tensor_data(rest), dg_tensor_count(rest), NULL};

        *any = count_told(running, &pair, take_rest, &n_pieces) > 0;
    }
    dg_tensor_drop(exact);
    dg_tensor_drop(wide);
    return rest;
}

/* The product of the rest alone, without what is added to it. */
static enum dg_status multiply_rest(struct dg_running *running, struct dg_tensor *rest,
                                    struct dg_arg *product)
{
    struct dg_linear linear = linear_of(running->step);
    const struct dg_linear_sums *left = running->machine->linear_sums;
    size_t n_args = left->n_args - (linear.added + 1u == left->n_args);
    struct dg_arg *args =
        dg_alloc(&running->frame->scratch, left->n_args + 1, sizeof(*args));

    memcpy(args, left->args, left->n_args * sizeof(*args));
    args[linear.input] = (struct dg_arg){DG_ARG_TENSOR, {.tensor = rest}};
    if (linear.added < n_args)
        args[linear.added] = (struct dg_arg){DG_ARG_INT, {.integer = 0}};
    return run_as(running, DG_PRECISION_OWN_SUMS, args, n_args, product);
}

/* Add it to the exact sums; false: it is not finite, and these are spoilt. */
static bool add_product(struct dg_running *running, struct dg_tensor *sums,
                        const struct dg_tensor *product)
{
    struct pair pair = {dg_tensor_data(sums), NULL, dg_tensor_data(product),
                        dg_tensor_count(sums), NULL};
    int64_t n_pieces;

    return dg_tensor_same_shape(sums, product) &&
           count_told(running, &pair, add_rest, &n_pieces) == n_pieces;
}

/* The wide evaluation takes what the reference left. */
static enum dg_status complete(struct dg_running *running, bool *done)
{
    struct dg_linear_sums *left = running->machine->linear_sums;
    struct dg_arg product = {0};
    bool any = false;
    struct dg_tensor *rest = rest_of(running, &any);
    enum dg_status status = rest ? DG_OK : running->err->status;

    if (!status && any)
        status = multiply_rest(running, rest, &product);
    *done = !status && (!any || add_product(running, left->sums, product.as.tensor));
    if (*done)
        status = give(running, dg_tensor_keep(left->sums));
    dg_linear_sums_clear(left);
    dg_tensor_drop(rest);
    dg_arg_drop(&product);
    return status;
}

static bool is_wide(const struct dg_running *running)
{
    return running->machine->context.precision == DG_PRECISION_WIDE;
}

/* What is written in place is another one behind the step. */
static bool is_linear(const struct dg_running *running)
{
    return linear_of(running->step).known &&
           running->frame == running->machine->frames && running->call.n_results == 1 &&
           !dg_step_changes(running->step);
}

enum dg_status dg_call_linear(struct dg_running *running, bool *done)
{
    enum dg_status status = DG_OK;

    *done = false;
    if (!running->machine->linear_sums || !is_linear(running))
        return DG_OK;
    if (is_wide(running) && is_of_same(running)) {
        status = complete(running, done);
    } else if (!is_wide(running) && is_worth_it(running)) {
        status = run_exact(running);
        *done = !status;
    }
    if (status != DG_ERR_DEVICE)
        return status;
    *running->err = (struct dg_error){0};
    return DG_OK;
}
