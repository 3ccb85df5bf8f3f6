/* Parts of complex numbers, and kernels that run part by part. */
#include "kernels/cpu/complex.h"

#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/norms.h"
#include "kernels/cpu/walk.h"

struct dg_tensor *dg_complex_part(const struct dg_tensor *tensor, int part)
{
    struct dg_tensor *view;
    int64_t strides[DG_RANK_MOST];

    for (int i = 0; i < tensor->rank; i++)
        strides[i] = 2 * tensor->strides[i];
    view = dg_tensor_view(tensor, tensor->rank, tensor->sizes, strides,
                          2 * tensor->offset + part);
    view->type = dg_type_part(tensor->type);
    return view;
}

enum dg_status dg_complex_give(struct dg_call *call, size_t number,
                               struct dg_tensor *const *parts)
{
    struct dg_tensor *result = dg_result(call, number, dg_type_complex(parts[0]->type),
                                         parts[0]->rank, parts[0]->sizes);

    for (int i = 0; result && i < 2; i++) {
        struct dg_tensor *to = dg_complex_part(result, i);

        dg_copy_elements(to, parts[i], call->context->n_threads);
        dg_tensor_drop(to);
    }
    return result ? DG_OK : call->err->status;
}

enum dg_status dg_complex_run(const struct dg_call *call, dg_kernel_fn *real,
                              const struct dg_arg *args, size_t n_args,
                              struct dg_tensor **result)
{
    struct dg_arg value = {0};
    struct dg_call inner = *call;
    enum dg_status status;

    inner.args = args;
    inner.n_args = n_args;
    inner.results = &value;
    inner.n_results = 1;
    status = real(&inner);
    if (!status && value.kind != DG_ARG_TENSOR)
        status = dg_call_fail(&inner, DG_ERR_DEVICE, "complex numbers");
    if (status)
        dg_arg_drop(&value);
    *result = status ? NULL : value.as.tensor;
    return status;
}

void dg_complex_drop(struct dg_tensor **tensors, int n)
{
    for (int i = 0; i < n; i++)
        dg_tensor_drop(tensors[i]);
}

struct dg_arg *dg_complex_arguments(struct dg_call *call)
{
    struct dg_arg *args = dg_scratch(call, (int64_t)call->n_args + 1, sizeof(*args));

    for (size_t i = 0; args && i < call->n_args; i++) {
        args[i] = call->args[i];
        if (args[i].kind == DG_ARG_TYPE)
            args[i].as.type = dg_type_part(args[i].as.type);
    }
    return args;
}

/* Part `part` of the complex arguments in the place of these. Floats among them would
 * be of the real part alone. */
static enum dg_status take_parts(struct dg_call *call, int part, struct dg_arg *args)
{
    for (size_t i = 0; i < call->n_args; i++) {
        struct dg_tensor *tensor = dg_arg_tensor(call, i);

        if (args[i].kind == DG_ARG_COMPLEX)
            return dg_call_fail(call, DG_ERR_DEVICE, "a complex number");
        if (tensor && dg_type_is_float(tensor->type))
            return dg_call_fail(call, DG_ERR_DEVICE, "complex numbers with real ones");
        if (tensor && dg_type_is_complex(tensor->type))
            args[i] = dg_tensor_arg(dg_complex_part(tensor, part));
    }
    return DG_OK;
}

static void drop_parts(const struct dg_call *call, struct dg_arg *args)
{
    for (size_t i = 0; i < call->n_args; i++) {
        if (args[i].kind == DG_ARG_TENSOR &&
            args[i].as.tensor != call->args[i].as.tensor)
            dg_tensor_drop(args[i].as.tensor);
    }
}

/* The kernel of part `part`. */
static enum dg_status run_part(struct dg_call *call, dg_kernel_fn *real, int part,
                               struct dg_tensor **result)
{
    struct dg_arg *args = dg_complex_arguments(call);
    enum dg_status status = args ? take_parts(call, part, args) : call->err->status;

    if (!status)
        status = dg_complex_run(call, real, args, call->n_args, result);
    if (args)
        drop_parts(call, args);
    return status;
}

bool dg_complex_wants_real(const struct dg_call *call)
{
    for (size_t i = 0; i < call->n_args; i++) {
        if (call->args[i].kind == DG_ARG_TYPE &&
            !dg_type_is_complex(call->args[i].as.type))
            return true;
    }
    return false;
}

enum dg_status dg_complex_by_parts(struct dg_call *call, dg_kernel_fn *real)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *results[2] = {NULL};
    bool wants_real = dg_complex_wants_real(call);
    enum dg_status status = DG_OK;

    if (!self)
        return call->err->status;
    if (!dg_type_is_complex(self->type))
        return dg_call_fail(call, DG_ERR_DEVICE, "complex numbers of real ones");
    for (int i = 0; i < 2 - wants_real && !status; i++)
        status = run_part(call, real, i, &results[i]);
    if (!status && wants_real && dg_give(call, 0, results[0]))
        return DG_OK;
    if (!status)
        status = dg_complex_give(call, 0, results);
    dg_complex_drop(results, 2);
    return status;
}

#define PARTS(name)                                                                    \
    enum dg_status dg_complex_##name(struct dg_call *call)                             \
    {                                                                                  \
        return dg_complex_by_parts(call, dg_cpu_##name);                               \
    }

PARTS(sum)
PARTS(sum_dims)
PARTS(mean)
PARTS(mean_dims)
PARTS(cumsum)
PARTS(trace)

PARTS(col2im)
PARTS(im2col)

/* Of numbers that lose their imaginary parts first; torch has none of the others. */
static enum dg_status of_real_part(struct dg_call *call, dg_kernel_fn *real)
{
    return dg_complex_wants_real(call)
               ? dg_complex_by_parts(call, real)
               : dg_call_fail(call, DG_ERR_FORMAT, "softmax of complex numbers");
}

enum dg_status dg_complex_softmax(struct dg_call *call)
{
    return of_real_part(call, dg_cpu_softmax);
}

enum dg_status dg_complex_log_softmax(struct dg_call *call)
{
    return of_real_part(call, dg_cpu_log_softmax);
}

/* With the absolute values in the place of argument 0. */
static enum dg_status of_sizes(struct dg_call *call, dg_kernel_fn *real)
{
    struct dg_arg *args = dg_complex_arguments(call);
    struct dg_tensor *sizes;
    struct dg_call inner = *call;
    enum dg_status status;

    if (!args)
        return call->err->status;
    status = dg_complex_run(call, dg_complex_abs, call->args, 1, &sizes);
    if (status)
        return status;
    args[0] = dg_tensor_arg(sizes);
    inner.args = args;
    status = real(&inner);
    dg_tensor_drop(sizes);
    return status;
}

/* With whether they are 0 in the place of argument 0. */
static enum dg_status of_truths(struct dg_call *call, dg_kernel_fn *real)
{
    struct dg_arg *args = dg_complex_arguments(call);
    struct dg_tensor *truths;
    struct dg_arg two[2] = {call->args[0], {DG_ARG_INT, {.integer = 0}}};
    struct dg_call inner = *call;
    enum dg_status status;

    if (!args)
        return call->err->status;
    status = dg_complex_run(call, dg_complex_ne, two, 2, &truths);
    if (status)
        return status;
    args[0] = dg_tensor_arg(truths);
    inner.args = args;
    status = real(&inner);
    dg_tensor_drop(truths);
    return status;
}

#define SIZES(name)                                                                    \
    enum dg_status dg_complex_##name(struct dg_call *call)                             \
    {                                                                                  \
        return of_sizes(call, dg_cpu_##name);                                          \
    }
#define TRUTHS(name)                                                                   \
    enum dg_status dg_complex_##name(struct dg_call *call)                             \
    {                                                                                  \
        return of_truths(call, dg_cpu_##name);                                         \
    }

SIZES(norm)
SIZES(vector_norm)
SIZES(frobenius_norm)

enum dg_status dg_complex_linalg_norm(struct dg_call *call)
{
    return dg_norm_is_of_matrices(call) ? dg_cpu_matrix_norm(call)
                                        : of_sizes(call, dg_cpu_linalg_norm);
}

TRUTHS(any)
TRUTHS(any_dims)
TRUTHS(all)
TRUTHS(all_dims)
TRUTHS(count_nonzero)
TRUTHS(nonzero)
TRUTHS(nonzero_static)
TRUTHS(where_true)
