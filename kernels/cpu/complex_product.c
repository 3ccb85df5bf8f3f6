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

/* `product` of the arguments `first` and the one behind it. */
static struct dg_tensor *product_at(struct dg_call *call, size_t first,
                                    dg_kernel_fn *product)
{
    return dg_apply(call, product, dg_tensor_keep(dg_arg_tensor(call, first)),
                    DG_REST(call->args[first + 1]));
}

/* beta self + alpha (a b): of beta 0 what is added to does not count, be it NaN, and
 * the product with 1 makes NaN of infinities. */
static enum dg_status add_product(struct dg_call *call, dg_kernel_fn *product)
{
    struct dg_arg alpha = call->n_args > 4 ? call->args[4] : dg_integer_arg(1);
    struct dg_tensor *self = dg_need_tensor(call, 0), *made;
    double _Complex beta;

    if (call->n_args < 3 || !self)
        return call->err->status;
    if (!dg_arg_complex(call, 3, &beta))
        beta = dg_arg_real(call, 3, 1);
    made = product_at(call, 1, product);
    if (beta == 0)
        return dg_finish(call, dg_apply(call, dg_complex_mul, made, DG_REST(alpha)));
    self = made ? dg_tensor_keep(self) : NULL;
    if (beta != 1)
        self = dg_apply(call, dg_complex_mul, self, DG_REST(call->args[3]));
    self = dg_apply(call, dg_complex_add, self, DG_REST(dg_tensor_arg(made), alpha));
    dg_tensor_drop(made);
    return dg_finish(call, self);
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

    return dg_finish(call,
                     dg_apply(call, dg_complex_sum_dims,
                              product_at(call, 0, dg_complex_bmm), DG_REST(dims)));
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
    struct dg_tensor *made, *sum;

    if (call->n_args < 3 || dg_arg_missing(call, 2))
        return linear_without_bias(call);
    made = product_at(call, 0, linear_without_bias);
    sum = dg_apply(call, dg_complex_add,
                   made ? dg_tensor_keep(dg_arg_tensor(call, 2)) : NULL,
                   DG_REST(dg_tensor_arg(made)));
    dg_tensor_drop(made);
    return dg_finish(call, sum);
}
