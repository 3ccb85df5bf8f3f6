/* Products of complex numbers: of sums of products that are linear in each of two
 * arguments, the four products of their parts. */
#include <string.h>

#include "kernels/cpu/complex.h"
#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"

/* x + y or x - y; x alone where there is no y. */
static enum dg_status combine(struct dg_call *call, struct dg_tensor *x,
                              struct dg_tensor *y, int sign, struct dg_tensor **result)
{
    struct dg_arg args[3] = {dg_tensor_arg(x), dg_tensor_arg(y), dg_integer_arg(sign)};

    if (y)
        return dg_complex_run(call, dg_cpu_add, args, 3, result);
    *result = dg_tensor_keep(x);
    return DG_OK;
}

enum { BIAS = 2 }; /* its argument */

/* Parts of the operands of a product; NULL where one is missing. */
struct factors {
    struct dg_tensor *first[2], *second[2], *bias[2];
};

/* Products of the parts of the first with those of the second: real and real, then
 * imaginary and imaginary, and so on. NULL where a part is missing. Parts of a bias are
 * added to those with the real part of the first. */
static enum dg_status multiply(struct dg_call *call, dg_kernel_fn *real,
                               const struct factors *factors,
                               struct dg_tensor *products[2][2])
{
    struct dg_arg *args = dg_complex_arguments(call);
    enum dg_status status = args ? DG_OK : call->err->status;

    for (int i = 0; i < 4 && !status; i++) {
        struct dg_tensor *a = factors->first[i / 2], *b = factors->second[i % 2];

        products[i / 2][i % 2] = NULL;
        if (!a || !b)
            continue;
        args[0] = dg_tensor_arg(a);
        args[1] = dg_tensor_arg(b);
        if (factors->bias[0])
            args[BIAS] = dg_tensor_arg(i < 2 ? factors->bias[i] : NULL);
        status =
            dg_complex_run(call, real, args, call->n_args, &products[i / 2][i % 2]);
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
static enum dg_status give_product(struct dg_call *call, dg_kernel_fn *real,
                                   const struct factors *factors, bool conjugated)
{
    struct dg_tensor *products[2][2] = {{NULL}}, *parts[2] = {NULL};
    int sign = conjugated ? -1 : 1;
    enum dg_status status = multiply(call, real, factors, products);

    if (!status)
        status = combine(call, products[0][0], products[1][1], -sign, &parts[0]);
    if (!status)
        status = products[0][1]
                     ? combine(call, products[0][1], products[1][0], sign, &parts[1])
                     : combine(call, products[1][0], NULL, 0, &parts[1]);
    if (!status)
        status = dg_complex_give(call, 0, parts);
    dg_complex_drop(parts, 2);
    dg_complex_drop(&products[0][0], 4);
    return status;
}

static enum dg_status product(struct dg_call *call, dg_kernel_fn *real, bool conjugated,
                              struct dg_tensor *bias)
{
    struct dg_tensor *first = dg_need_tensor(call, 0),
                     *second = dg_need_tensor(call, 1);
    struct factors factors = {0};
    enum dg_status status;
    bool complex[2];

    if (!first || !second)
        return call->err->status;
    complex[0] = dg_type_is_complex(first->type);
    complex[1] = dg_type_is_complex(second->type);
    if (bias ? !complex[0] || !complex[1] : !complex[0] && !complex[1])
        return dg_call_fail(call, DG_ERR_DEVICE, "complex numbers of real ones");
    split(first, factors.first);
    split(second, factors.second);
    if (bias)
        split(bias, factors.bias);
    status = give_product(call, real, &factors, conjugated);
    dg_complex_drop(factors.first, 2);
    dg_complex_drop(factors.second, 2);
    dg_complex_drop(factors.bias, 2);
    return status;
}

#define PRODUCT(name)                                                                  \
    enum dg_status dg_complex_##name(struct dg_call *call)                             \
    {                                                                                  \
        return product(call, dg_cpu_##name, false, NULL);                              \
    }
#define CONVOLUTION(name)                                                              \
    enum dg_status dg_complex_##name(struct dg_call *call)                             \
    {                                                                                  \
        return product(call, dg_cpu_##name, false, dg_arg_tensor(call, BIAS));         \
    }

PRODUCT(mm)
PRODUCT(bmm)
PRODUCT(mv)
PRODUCT(matmul)
PRODUCT(inner)

CONVOLUTION(convolution)
CONVOLUTION(conv1d)
CONVOLUTION(conv2d)
CONVOLUTION(conv3d)
CONVOLUTION(conv1d_padding)
CONVOLUTION(conv2d_padding)
CONVOLUTION(conv3d_padding)
CONVOLUTION(conv_transpose1d)
CONVOLUTION(conv_transpose2d)
CONVOLUTION(conv_transpose3d)

enum dg_status dg_complex_dot(struct dg_call *call)
{
    return product(call, dg_cpu_dot, !strcmp(call->op, "aten::vdot"), NULL);
}

enum dg_status dg_complex_vecdot(struct dg_call *call)
{
    return product(call, dg_cpu_vecdot, true, NULL);
}

/* A product of two arguments, and what is added to it. */
static enum dg_status affine(struct dg_call *call, const struct dg_arg *added,
                             const struct dg_arg factors[2], dg_kernel_fn *product,
                             const struct dg_arg *alpha)
{
    struct dg_tensor *made;
    struct dg_arg args[3] = {*added, {0}, alpha ? *alpha : (struct dg_arg){0}};
    enum dg_status status = dg_complex_run(call, product, factors, 2, &made);
    struct dg_call inner = *call;

    if (status)
        return status;
    args[1] = dg_tensor_arg(made);
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
    enum dg_status status = dg_complex_run(call, product, &call->args[1], 2, &made);

    if (status)
        return status;
    args[0] = dg_tensor_arg(made);
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
    double _Complex beta;
    enum dg_status status = DG_OK;

    if (call->n_args < 3 || !dg_need_tensor(call, 0))
        return call->err->status;
    if (!dg_arg_complex(call, 3, &beta))
        beta = dg_arg_real(call, 3, 1);
    if (beta == 0)
        return scaled_product(call, product);
    if (beta != 1) { /* which would make NaN of infinities */
        struct dg_arg two[2] = {args[0], args[3]};

        status = dg_complex_run(call, dg_complex_mul, two, 2, &scaled);
        added = dg_tensor_arg(scaled);
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

/* The sum of a batch of products. */
static enum dg_status summed_bmm(struct dg_call *call)
{
    struct dg_arg batch = dg_integer_arg(0),
                  dims = {DG_ARG_LIST, {.list = {&batch, 1}}};
    struct dg_tensor *made =
        dg_apply(call, dg_complex_bmm, dg_tensor_keep(dg_arg_tensor(call, 0)),
                 DG_REST(call->args[1]));

    made = dg_apply(call, dg_complex_sum_dims, made, DG_REST(dims));
    return dg_give(call, 0, made) ? DG_OK : call->err->status;
}

enum dg_status dg_complex_addbmm(struct dg_call *call)
{
    return add_product(call, summed_bmm);
}

enum dg_status dg_complex_addmv(struct dg_call *call)
{
    return add_product(call, dg_complex_mv);
}

static enum dg_status linear_without_bias(struct dg_call *call)
{
    return product(call, dg_cpu_linear, false, NULL);
}

enum dg_status dg_complex_linear(struct dg_call *call)
{
    if (call->n_args < 3 || dg_arg_missing(call, 2))
        return linear_without_bias(call);
    return affine(call, &call->args[2], call->args, linear_without_bias, NULL);
}
