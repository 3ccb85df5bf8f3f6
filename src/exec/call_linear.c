/* Steps that are linear in an argument: two evaluations share the exact sums. */
#include "exec/call_linear.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exec/compare.h"
#include "exec/rest.h"
#include "kernels/cpu/walk.h"
#include "kernels/xnnpack.h"

enum { WORTH = 16 }; /* terms of a sum */

static const double SMALL = 0x1p-8; /* the rest beside the whole */

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

static bool has_numbers(const float *line, int64_t stride, int64_t n)
{
    int64_t found = 0;

    for (int64_t i = 0; i < n && found < WORTH; i++)
        found += line[i * stride] != 0;
    return found == WORTH;
}

static bool have_numbers(const float *lines, int64_t apart, int64_t n_lines,
                         int64_t stride, int64_t n)
{
    bool all = true;

    for (int64_t i = 0; i < n_lines && all; i++)
        all = has_numbers(lines + i * apart, stride, n);
    return all;
}

/* How many products stand behind each number that is read or made, where that is
 * fewer: as if filters were a matrix. */
static int64_t products_of(const struct dg_tensor *filters)
{
    int64_t most = 1;

    for (int dim = 0; dim < filters->rank; dim++)
        most = filters->sizes[dim] > most ? filters->sizes[dim] : most;
    return dg_tensor_count(filters) / most;
}

static bool are_dense_filters(const struct dg_tensor *filters)
{
    int64_t n_channels = filters->sizes[0];
    int64_t n = dg_tensor_count(filters) / (n_channels ? n_channels : 1);

    return products_of(filters) >= WORTH && dg_tensor_contiguous(filters) &&
           have_numbers(dg_tensor_data(filters), n, n_channels, 1, n);
}

static bool are_dense_matrices(const struct dg_tensor *matrices)
{
    const int64_t *sizes = matrices->sizes, *strides = matrices->strides;
    int row = matrices->rank - 2, column = matrices->rank - 1;
    int64_t n = sizes[row] * sizes[column];
    int64_t n_matrices = n ? dg_tensor_count(matrices) / n : 0;
    bool dense = true;

    for (int64_t i = 0; i < n_matrices && dense; i++) {
        const float *at = dg_tensor_data(matrices);
        int64_t number = i;

        for (int dim = row - 1; dim >= 0; number /= sizes[dim--])
            at += number % sizes[dim] * strides[dim];
        dense =
            have_numbers(at, strides[row], sizes[row], strides[column],
                         sizes[column]) &&
            have_numbers(at, strides[column], sizes[column], strides[row], sizes[row]);
    }
    return dense;
}

/* Whether all sums have many terms, and all terms are in many sums, so that it is worth
 * it. Of weights that select, or compare neighbours, f64 has the products exactly, and
 * what cancels is 0 there. */
static bool is_dense(const struct dg_tensor *weight, bool convolves)
{
    return convolves ? are_dense_filters(weight) : are_dense_matrices(weight);
}

/* aten::convolution: then filters belong to channels that are read. */
static bool is_transposed(const struct dg_call *call)
{
    enum { TRANSPOSED = 6 };

    return call->n_args > TRANSPOSED && call->args[TRANSPOSED].kind == DG_ARG_BOOL &&
           call->args[TRANSPOSED].as.integer;
}

static bool is_weight(const struct dg_call *call, const struct dg_linear *linear,
                      size_t i)
{
    return i != linear->input && call->args[i].kind == DG_ARG_TENSOR &&
           call->args[i].as.tensor->rank >= 2;
}

/* All tensors are of f32, in no list, and there is a weight besides the argument. */
static bool can_share(const struct dg_call *call, const struct dg_linear *linear)
{
    bool has_weight = false;

    for (size_t i = 0; i < call->n_args; i++) {
        const struct dg_arg *arg = &call->args[i];

        if (arg->kind == DG_ARG_LIST && arg->as.list.n_items &&
            arg->as.list.items->kind == DG_ARG_TENSOR)
            return false;
        if (arg->kind != DG_ARG_TENSOR)
            continue;
        if (arg->as.tensor->type != DG_TYPE_F32)
            return false;
        has_weight |= is_weight(call, linear, i);
    }
    return has_weight && linear->input < call->n_args &&
           call->args[linear->input].kind == DG_ARG_TENSOR &&
           !(linear->convolves && is_transposed(call));
}

static bool is_worth_it(const struct dg_call *call, const struct dg_linear *linear)
{
    for (size_t i = 0; i < call->n_args; i++) {
        if (is_weight(call, linear, i) &&
            !is_dense(call->args[i].as.tensor, linear->convolves))
            return false;
    }
    return true;
}

/* The call with other arguments in another precision, without the bounds that a node of
 * XNNPACK has. */
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

/* The result takes over the share. */
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

/* Leave the sums to the wide evaluation. */
static void leave(struct dg_running *running, struct dg_tensor *sums)
{
    const struct dg_call *call = &running->call;
    struct dg_linear_sums *left = running->machine->linear_sums;

    left->step = running->step;
    left->sums = dg_tensor_keep(sums);
    left->args = calloc(call->n_args + 1, sizeof(*left->args));
    for (size_t i = 0; left->args && i < call->n_args; i++)
        dg_arg_set(&left->args[left->n_args++], &call->args[i]);
}

/* The result as it is before it is rounded is left, if it is worth it. Weights are
 * looked at once the product has read them: their pages are in memory then. */
static enum dg_status run_exact(struct dg_running *running,
                                const struct dg_linear *linear)
{
    struct dg_arg sums = {0};
    enum dg_status status = run_widened(running, &sums);

    if (!status && is_worth_it(&running->call, linear))
        leave(running, sums.as.tensor);
    if (!status)
        status = give(running, dg_cast(running->machine, sums.as.tensor, DG_TYPE_F32,
                                       running->err));
    dg_arg_drop(&sums);
    return status;
}

static bool lies_alike(const struct dg_tensor *a, const struct dg_tensor *b)
{
    return dg_tensor_same_shape(a, b) && a->offset == b->offset &&
           dg_tensor_same_strides(a, b);
}

/* Whether one in f64 has the numbers of one in f32. Neither has gaps between elements:
 * what lies there may never have been set. */
static bool is_widened(const struct dg_tensor *wide, const struct dg_tensor *narrow)
{
    const double *doubles = (const void *)wide->storage->bytes;
    const float *singles = (const void *)narrow->storage->bytes;
    int64_t n = dg_tensor_reach(narrow), i = narrow->offset;

    if (wide->type != DG_TYPE_F64 || !lies_alike(wide, narrow) ||
        n - i != dg_tensor_count(narrow))
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
static bool is_of_same(const struct dg_running *running, size_t input)
{
    const struct dg_linear_sums *left = running->machine->linear_sums;
    const struct dg_call *call = &running->call;

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

/* The rest of the argument, in f32: one share. */
static struct dg_tensor *rest_of(struct dg_running *running, size_t input,
                                 struct dg_rest_sizes *largest)
{
    struct dg_machine *machine = running->machine;
    struct dg_tensor *given = running->call.args[input].as.tensor;
    struct dg_tensor *exact =
        dg_contiguous(&running->call, machine->linear_sums->args[input].as.tensor);
    struct dg_tensor *wide = exact ? dg_contiguous(&running->call, given) : NULL;
    struct dg_tensor *rest =
        wide ? dg_tensor_new(&dg_host_memory, DG_TYPE_F32, given->rank, given->sizes,
                             running->err)
             : NULL;

    if (rest)
        *largest = dg_rest_take(dg_tensor_data(rest), dg_tensor_data(wide),
                                dg_tensor_data(exact), dg_tensor_count(rest),
                                machine->context.n_threads);
    dg_tensor_drop(exact);
    dg_tensor_drop(wide);
    return rest;
}

/* The product of the rest alone, without what is added to it. */
static enum dg_status multiply_rest(struct dg_running *running,
                                    const struct dg_linear *linear,
                                    struct dg_tensor *rest, struct dg_arg *product)
{
    const struct dg_linear_sums *left = running->machine->linear_sums;
    size_t n_args = left->n_args;
    struct dg_arg *args = dg_alloc(&running->frame->scratch, n_args + 1, sizeof(*args));

    memcpy(args, left->args, n_args * sizeof(*args));
    args[linear->input] = (struct dg_arg){DG_ARG_TENSOR, {.tensor = rest}};
    if (linear->added < n_args && running->step->xnnpack)
        n_args = linear->added; /* a bias is the last one */
    else if (linear->added < n_args)
        args[linear->added] = (struct dg_arg){DG_ARG_INT, {.integer = 0}};
    return run_as(running, DG_PRECISION_OWN_SUMS, args, n_args, product);
}

/* Add it to the exact sums; false: it is not finite, and these are spoilt. */
static bool add_product(struct dg_running *running, struct dg_tensor *sums,
                        const struct dg_tensor *product)
{
    return dg_tensor_same_shape(sums, product) &&
           dg_rest_add(dg_tensor_data(sums), dg_tensor_data(product),
                       dg_tensor_count(sums),
                       running->machine->context.n_threads) <= FLT_MAX;
}

/* Where the two evaluations are apart, f32 says too little of the rest: errors of its
 * product are to be small beside those that own sums have anyway. */
static bool is_small(const struct dg_rest_sizes *largest)
{
    return largest->rest <= largest->whole * DG_REST_SCALE * SMALL &&
           largest->whole <= FLT_MAX;
}

/* The wide evaluation takes what the reference left. */
static enum dg_status complete(struct dg_running *running,
                               const struct dg_linear *linear, bool *done)
{
    struct dg_linear_sums *left = running->machine->linear_sums;
    struct dg_arg product = {0};
    struct dg_rest_sizes largest = {0, 0};
    struct dg_tensor *rest = rest_of(running, linear->input, &largest);
    enum dg_status status = rest ? DG_OK : running->err->status;

    *done = !status && largest.rest == 0;
    if (!status && !*done && is_small(&largest)) {
        status = multiply_rest(running, linear, rest, &product);
        *done = !status && add_product(running, left->sums, product.as.tensor);
    }
    if (*done)
        status = give(running, dg_tensor_keep(left->sums));
    dg_linear_sums_clear(left);
    dg_tensor_drop(rest);
    dg_arg_drop(&product);
    return status;
}

/* Once in each call of the program, and without writing into what it reads. */
static bool runs_once(const struct dg_running *running)
{
    return running->frame == running->machine->frames && !running->step->levels &&
           running->call.n_results == 1 && !dg_step_changes(running->step);
}

/* What fails this way, for want of memory or otherwise, is the kernel's to do or to
 * refuse. */
bool dg_call_linear(struct dg_running *running)
{
    struct dg_linear_sums *sums = running->machine->linear_sums;
    struct dg_linear linear = linear_of(running->step);
    bool done = false;
    enum dg_status status = DG_OK;

    if (!sums || !linear.known || !runs_once(running))
        return false;
    if (running->machine->context.precision != DG_PRECISION_WIDE) {
        done = can_share(&running->call, &linear);
        status = done ? run_exact(running, &linear) : DG_OK;
    } else if (is_of_same(running, linear.input)) {
        status = complete(running, &linear, &done);
    }
    if (!status)
        return done;
    dg_linear_sums_clear(sums);
    dg_args_drop(running->call.results, running->call.n_results);
    *running->err = (struct dg_error){0};
    return false;
}
