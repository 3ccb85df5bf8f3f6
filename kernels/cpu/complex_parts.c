/* Parts of complex numbers, and kernels that run part by part. */
#include "kernels/cpu/complex.h"

#include <string.h>

#include "base/arena.h"
#include "kernels/cpu/movement.h"
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

enum dg_status dg_complex_give(struct dg_call *call, struct dg_tensor *const *parts)
{
    struct dg_tensor *result = dg_result(call, 0, dg_type_complex(parts[0]->type),
                                         parts[0]->rank, parts[0]->sizes);

    for (int i = 0; result && i < 2; i++) {
        struct dg_tensor *to = dg_complex_part(result, i);

        dg_copy_elements(to, parts[i], call->context->n_threads);
        dg_tensor_drop(to);
    }
    return result ? DG_OK : call->err->status;
}

/* The one result of a kernel of real numbers. */
static enum dg_status run_real(const struct dg_call *call, dg_kernel_fn *real,
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

static void drop_all(struct dg_tensor **tensors, int n)
{
    for (int i = 0; i < n; i++)
        dg_tensor_drop(tensors[i]);
}

/* Arguments of the call, of which a dtype is that of the parts. */
static struct dg_arg *real_arguments(struct dg_call *call)
{
    struct dg_arg *args = dg_scratch(call, (int64_t)call->n_args + 1, sizeof(*args));

    for (size_t i = 0; args && i < call->n_args; i++) {
        args[i] = call->args[i];
        if (args[i].kind == DG_ARG_TYPE)
            args[i].as.type = dg_type_part(args[i].as.type);
    }
    return args;
}

static struct dg_arg tensor_arg(struct dg_tensor *tensor)
{
    return (struct dg_arg){DG_ARG_TENSOR, {.tensor = tensor}};
}

enum dg_status dg_complex_by_parts(struct dg_call *call, dg_kernel_fn *real)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *results[2] = {NULL};
    struct dg_arg *args = real_arguments(call);
    enum dg_status status = DG_OK;

    if (!self || !args)
        return call->err->status;
    if (!dg_type_is_complex(self->type))
        return dg_call_fail(call, DG_ERR_DEVICE, "complex numbers of real ones");
    for (int i = 0; i < 2 && !status; i++) {
        struct dg_tensor *part = dg_complex_part(self, i);

        args[0] = tensor_arg(part);
        status = run_real(call, real, args, call->n_args, &results[i]);
        dg_tensor_drop(part);
    }
    if (!status)
        status = dg_complex_give(call, results);
    drop_all(results, 2);
    return status;
}

/* x + y or x - y, which are one where the other is missing; takes both. */
static enum dg_status combine(struct dg_call *call, struct dg_tensor *x,
                              struct dg_tensor *y, int sign, struct dg_tensor **result)
{
    struct dg_arg args[3] = {
        tensor_arg(x), tensor_arg(y), {DG_ARG_INT, {.integer = sign}}};
    enum dg_status status = DG_OK;

    *result = x;
    if (!y)
        return DG_OK;
    status = run_real(call, dg_cpu_add, args, 3, result);
    dg_tensor_drop(x);
    dg_tensor_drop(y);
    return status;
}

/* Products of the parts `first` with those of `second`: real and real, then imaginary
 * and imaginary, and so on. NULL where a part is missing. */
static enum dg_status multiply(struct dg_call *call, dg_kernel_fn *real,
                               struct dg_tensor *const *first,
                               struct dg_tensor *const *second,
                               struct dg_tensor *products[2][2])
{
    struct dg_arg *args = real_arguments(call);
    enum dg_status status = args ? DG_OK : call->err->status;

    for (int i = 0; i < 4 && !status; i++) {
        struct dg_tensor *a = first[i / 2], *b = second[i % 2];

        products[i / 2][i % 2] = NULL;
        if (!a || !b)
            continue;
        args[0] = tensor_arg(a);
        args[1] = tensor_arg(b);
        status = run_real(call, real, args, call->n_args, &products[i / 2][i % 2]);
    }
    return status;
}

static void split(const struct dg_tensor *tensor, struct dg_tensor **parts)
{
    bool is_complex = dg_type_is_complex(tensor->type);

    parts[0] = is_complex ? dg_complex_part(tensor, 0)
                          : dg_tensor_keep((struct dg_tensor *)tensor);
    parts[1] = is_complex ? dg_complex_part(tensor, 1) : NULL;
}

/* a b, or the conjugate of a times b. */
static enum dg_status product(struct dg_call *call, dg_kernel_fn *real, bool conjugated)
{
    struct dg_tensor *first = dg_need_tensor(call, 0),
                     *second = dg_need_tensor(call, 1);
    struct dg_tensor *a[2], *b[2], *products[2][2] = {{NULL}}, *parts[2] = {NULL};
    int sign = conjugated ? -1 : 1;
    enum dg_status status;

    if (!first || !second)
        return call->err->status;
    if (!dg_type_is_complex(first->type) && !dg_type_is_complex(second->type))
        return dg_call_fail(call, DG_ERR_DEVICE, "complex numbers of real ones");
    split(first, a);
    split(second, b);
    status = multiply(call, real, a, b, products);
    if (status)
        drop_all(&products[0][0], 4);
    if (!status)
        status = combine(call, products[0][0], products[1][1], -sign, &parts[0]);
    if (!status && products[0][1])
        status = combine(call, products[0][1], products[1][0], sign, &parts[1]);
    else if (!status)
        parts[1] = products[1][0];
    if (!status)
        status = dg_complex_give(call, parts);
    drop_all(parts, 2);
    drop_all(a, 2);
    drop_all(b, 2);
    return status;
}

enum dg_status dg_complex_product(struct dg_call *call, dg_kernel_fn *real)
{
    return product(call, real, false);
}

#define PARTS(name)                                                                    \
    enum dg_status dg_complex_##name(struct dg_call *call)                             \
    {                                                                                  \
        return dg_complex_by_parts(call, dg_cpu_##name);                               \
    }
#define PRODUCT(name)                                                                  \
    enum dg_status dg_complex_##name(struct dg_call *call)                             \
    {                                                                                  \
        return dg_complex_product(call, dg_cpu_##name);                                \
    }

PARTS(sum)
PARTS(sum_dims)
PARTS(mean)
PARTS(mean_dims)
PARTS(cumsum)
PARTS(trace)

PRODUCT(mm)
PRODUCT(bmm)
PRODUCT(mv)
PRODUCT(matmul)

enum dg_status dg_complex_dot(struct dg_call *call)
{
    return product(call, dg_cpu_dot, !strcmp(call->op, "aten::vdot"));
}

/* A product of two arguments, and what is added to it. */
static enum dg_status affine(struct dg_call *call, const struct dg_arg *added,
                             const struct dg_arg factors[2], dg_kernel_fn *product,
                             const struct dg_arg *alpha)
{
    struct dg_tensor *made;
    struct dg_arg args[3] = {*added, {0}, alpha ? *alpha : (struct dg_arg){0}};
    enum dg_status status = run_real(call, product, factors, 2, &made);
    struct dg_call inner = *call;

    if (status)
        return status;
    args[1] = tensor_arg(made);
    inner.args = args;
    inner.n_args = 3;
    status = dg_complex_add(&inner);
    dg_tensor_drop(made);
    return status;
}

/* alpha (a b): of beta 0 what is added to does not count, be it NaN. */
static enum dg_status scaled_product(struct dg_call *call, dg_kernel_fn *product)
{
    const struct dg_arg one = {DG_ARG_INT, {.integer = 1}};
    struct dg_tensor *made;
    struct dg_arg args[2];
    struct dg_call inner = *call;
    enum dg_status status = run_real(call, product, &call->args[1], 2, &made);

    if (status)
        return status;
    args[0] = tensor_arg(made);
    args[1] = call->n_args > 4 ? call->args[4] : one;
    inner.args = args;
    inner.n_args = 2;
    status = dg_complex_mul(&inner);
    dg_tensor_drop(made);
    return status;
}

/* beta self + alpha (a b) */
static enum dg_status add_product(struct dg_call *call, dg_kernel_fn *product)
{
    const struct dg_arg *args = call->args;
    struct dg_tensor *scaled = NULL;
    struct dg_arg added = args[0];
    enum dg_status status = DG_OK;

    if (call->n_args < 3 || !dg_need_tensor(call, 0))
        return call->err->status;
    if (!dg_arg_real(call, 3, 1) && call->n_args > 3 &&
        call->args[3].kind != DG_ARG_COMPLEX)
        return scaled_product(call, product);
    if (call->n_args > 3 && !dg_arg_missing(call, 3)) {
        struct dg_arg two[2] = {args[0], args[3]};

        status = run_real(call, dg_complex_mul, two, 2, &scaled);
        added = tensor_arg(scaled);
    }
    if (!status)
        status =
            affine(call, &added, &args[1], product, call->n_args > 4 ? &args[4] : NULL);
    dg_tensor_drop(scaled);
    return status;
}

enum dg_status dg_complex_addmm(struct dg_call *call)
{
    return add_product(call, dg_complex_mm);
}

enum dg_status dg_complex_baddbmm(struct dg_call *call)
{
    return add_product(call, dg_complex_bmm);
}

enum dg_status dg_complex_addmv(struct dg_call *call)
{
    return add_product(call, dg_complex_mv);
}

static enum dg_status linear_without_bias(struct dg_call *call)
{
    return dg_complex_product(call, dg_cpu_linear);
}

enum dg_status dg_complex_linear(struct dg_call *call)
{
    if (call->n_args < 3 || dg_arg_missing(call, 2))
        return linear_without_bias(call);
    return affine(call, &call->args[2], call->args, linear_without_bias, NULL);
}

/* With the absolute values in the place of argument 0. */
static enum dg_status of_sizes(struct dg_call *call, dg_kernel_fn *real)
{
    struct dg_arg *args = real_arguments(call);
    struct dg_tensor *sizes;
    struct dg_call inner = *call;
    enum dg_status status;

    if (!args)
        return call->err->status;
    status = run_real(call, dg_complex_abs, call->args, 1, &sizes);
    if (status)
        return status;
    args[0] = tensor_arg(sizes);
    inner.args = args;
    status = real(&inner);
    dg_tensor_drop(sizes);
    return status;
}

/* With whether they are 0 in the place of argument 0. */
static enum dg_status of_truths(struct dg_call *call, dg_kernel_fn *real)
{
    struct dg_arg *args = real_arguments(call);
    struct dg_tensor *truths;
    struct dg_arg two[2] = {call->args[0], {DG_ARG_INT, {.integer = 0}}};
    struct dg_call inner = *call;
    enum dg_status status;

    if (!args)
        return call->err->status;
    status = run_real(call, dg_complex_ne, two, 2, &truths);
    if (status)
        return status;
    args[0] = tensor_arg(truths);
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

TRUTHS(any)
TRUTHS(any_dims)
TRUTHS(all)
TRUTHS(all_dims)
TRUTHS(count_nonzero)
TRUTHS(nonzero)
