/* Powers, exponentials and chains of matrices, and equations of tensors. Products are
 * those of the operator, in f64 where the result is rounded once. */
#include <complex.h>
#include <math.h>

#include "kernels/cpu/complex.h"
#include "kernels/cpu/compose.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/matrices.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

/* What products are computed in. */
static enum dg_type wide_type(const struct dg_call *call, enum dg_type type)
{
    if (call->context->precision == DG_PRECISION_OWN_SUMS)
        return type;
    return dg_type_is_complex(type) ? DG_TYPE_C128
           : dg_type_is_float(type) ? DG_TYPE_F64
                                    : type;
}

/* A contiguous copy of another type; NULL: failed. */
static struct dg_tensor *converted(struct dg_call *call, struct dg_tensor *tensor,
                                   enum dg_type type)
{
    struct dg_tensor *copy = dg_tensor_new(call->context->memory, type, tensor->rank,
                                           tensor->sizes, call->err);

    if (copy && dg_tensor_count(copy))
        dg_copy_elements(copy, tensor, call->context->n_threads);
    return copy;
}

/* A copy that products are made of; NULL: failed. */
static struct dg_tensor *widened(struct dg_call *call, struct dg_tensor *tensor)
{
    struct dg_tensor *copy = converted(call, tensor, wide_type(call, tensor->type));

    if (copy)
        dg_disturb(call, copy->type, dg_tensor_data(copy), dg_tensor_count(copy),
                   copy->rank ? copy->sizes[copy->rank - 1] : 1);
    return copy;
}

/* `result`, whose share is used up, rounded to `type`; NULL: it failed. */
static enum dg_status finish(struct dg_call *call, struct dg_tensor *result,
                             enum dg_type type)
{
    struct dg_tensor *rounded =
        result ? converted(call, result, dg_kept_type(call->context, type)) : NULL;

    dg_tensor_drop(result);
    return dg_give(call, 0, rounded) ? DG_OK : call->err->status;
}

/* a b, where the share of `a` is used up; NULL: failed, or one is NULL. */
static struct dg_tensor *times(struct dg_call *call, struct dg_tensor *a,
                               struct dg_tensor *b)
{
    if (a && b)
        return dg_apply(call,
                        dg_type_is_complex(a->type) ? dg_complex_matmul : dg_cpu_matmul,
                        a, DG_REST(dg_tensor_arg(b)));
    dg_tensor_drop(a);
    return NULL;
}

static struct dg_tensor *squared(struct dg_call *call, struct dg_tensor *a)
{
    struct dg_tensor *other = dg_tensor_keep(a);

    a = times(call, a, other);
    dg_tensor_drop(other);
    return a;
}

static struct dg_tensor *need_square(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    if (!self ||
        (self->rank > 1 && self->sizes[self->rank - 1] == self->sizes[self->rank - 2]))
        return self;
    dg_call_fail(call, DG_ERR_FORMAT, "matrices are not square");
    return NULL;
}

/* Ones on the diagonals of zeros. */
static struct dg_tensor *identity_like(struct dg_call *call,
                                       const struct dg_tensor *like)
{
    struct dg_tensor *one = dg_tensor_new(call->context->memory, like->type, like->rank,
                                          like->sizes, call->err);
    int64_t n = like->sizes[like->rank - 1], count = one ? dg_tensor_count(one) : 0;
    size_t bytes = dg_type_bytes(like->type);

    if (one)
        dg_zero_elements(one);
    for (int64_t i = 0; i < count; i += i % (n * n) == n * n - 1 ? 1 : n + 1)
        dg_store_complex(one->type, (char *)dg_tensor_data(one) + (size_t)i * bytes, 1,
                         &(double complex){1}, 1);
    return one;
}

/* By squares: `base`, whose share is used up, to the power `n`. */
static struct dg_tensor *power(struct dg_call *call, struct dg_tensor *base, uint64_t n)
{
    struct dg_tensor *result = NULL;

    for (; base && n; n >>= 1) {
        if (n & 1)
            result = result ? times(call, result, base) : dg_tensor_keep(base);
        if (n & 1 && !result)
            break;
        if (n > 1)
            base = squared(call, base);
    }
    if (!base) {
        dg_tensor_drop(result);
        return NULL;
    }
    dg_tensor_drop(base);
    return result;
}

enum dg_status dg_cpu_matrix_power(struct dg_call *call)
{
    struct dg_tensor *self = need_square(call), *base, *result;
    int64_t n = dg_arg_int(call, 1, 1);

    if (!self)
        return call->err->status;
    base = widened(call, self);
    if (n < 0)
        base = dg_apply(call, dg_cpu_linalg_inv, base, 0, NULL);
    if (!n && base) {
        result = identity_like(call, base);
        dg_tensor_drop(base);
    } else {
        result = power(call, base, n < 0 ? -(uint64_t)n : (uint64_t)n);
    }
    return finish(call, result, self->type);
}

enum dg_status dg_cpu_multi_dot(struct dg_call *call)
{
    size_t n;
    struct dg_tensor **matrices = dg_arg_tensors(call, 0, &n), *result;
    enum dg_type type;

    if (!matrices)
        return call->err->status;
    if (!n || !matrices[0])
        return dg_call_fail(call, DG_ERR_FORMAT, "no matrices to multiply");
    type = matrices[0]->type;
    result = widened(call, matrices[0]);
    for (size_t i = 1; i < n && result; i++) {
        struct dg_tensor *next = matrices[i] && matrices[i]->type == type
                                     ? widened(call, matrices[i])
                                     : NULL;

        if (!next && !call->err->status)
            dg_call_fail(call, DG_ERR_FORMAT, "factor %zu is no %s matrix", i,
                         dg_type_name(type));
        result = times(call, result, next);
        dg_tensor_drop(next);
    }
    return finish(call, result, type);
}

enum { TERMS = 18 }; /* of 1/2: 2^-19 / 19! is below the rounding of f64 */

/* The largest sum of a row. */
static double size_of(const struct dg_tensor *matrix)
{
    int64_t n = matrix->sizes[0];
    double most = 0;

    for (int64_t row = 0; row < n; row++) {
        double sum = 0;

        for (int64_t k = 0; k < n; k++) {
            double complex value;

            dg_load_complex(&value, matrix->type,
                            (char *)dg_tensor_data(matrix) +
                                (size_t)(row * n + k) * dg_type_bytes(matrix->type),
                            1, 1);
            sum += cabs(value);
        }
        most = isnan(sum) ? sum : fmax(most, sum);
    }
    return most;
}

/* Of a matrix of one element it is that of the number, infinities included. */
static struct dg_tensor *exponential_of_one(struct dg_call *call, struct dg_tensor *a)
{
    return dg_apply(call, dg_type_is_complex(a->type) ? dg_complex_exp : dg_cpu_exp, a,
                    0, NULL);
}

/* exp(a) = (exp(a / 2^s))^(2^s), and that by its series, from the last term on:
 * 1 + a (1 + a/2 (1 + a/3 ...)). `a` is square, and its share used up. */
static struct dg_tensor *exponential(struct dg_call *call, struct dg_tensor *a)
{
    bool is_complex = dg_type_is_complex(a->type);
    double size = size_of(a);
    int halvings = isfinite(size) && size > 0.5 ? ilogb(size) + 2 : 0;
    struct dg_tensor *one = identity_like(call, a), *sum = dg_tensor_keep(one);

    for (int k = TERMS; k > 0 && sum; k--) {
        struct dg_tensor *tail = sum;

        sum = dg_apply(call, is_complex ? dg_complex_addmm : dg_cpu_addmm,
                       dg_tensor_keep(one),
                       DG_REST(dg_tensor_arg(a), dg_tensor_arg(tail), dg_real_arg(1),
                               dg_real_arg(ldexp(1.0 / k, -halvings))));
        dg_tensor_drop(tail);
    }
    for (int i = 0; i < halvings && sum; i++)
        sum = squared(call, sum);
    dg_tensor_drop(one);
    dg_tensor_drop(a);
    return sum;
}

/* Matrix `i` of contiguous ones. */
static struct dg_tensor *matrix_of(const struct dg_tensor *all, int64_t i)
{
    int64_t n = all->sizes[all->rank - 1], sizes[] = {n, n}, strides[] = {n, 1};

    return dg_tensor_view(all, 2, sizes, strides, all->offset + i * n * n);
}

enum dg_status dg_cpu_matrix_exp(struct dg_call *call)
{
    struct dg_tensor *self = need_square(call), *all;
    int64_t n, count;

    if (!self)
        return call->err->status;
    if (!dg_type_is_float(dg_type_part(self->type)))
        return dg_call_fail(call, DG_ERR_FORMAT, "an exponential of %s",
                            dg_type_name(self->type));
    n = self->sizes[self->rank - 1];
    all = widened(call, self);
    count = all ? dg_tensor_count(all) : 0;
    for (int64_t i = 0; n && i < count / (n * n) && all; i++) {
        struct dg_tensor *place = matrix_of(all, i);
        struct dg_tensor *result =
            (n == 1 ? exponential_of_one : exponential)(call, dg_tensor_keep(place));

        if (result)
            dg_move_elements(place, result, call->context->n_threads);
        dg_tensor_drop(place);
        if (!result) {
            dg_tensor_drop(all);
            all = NULL;
        }
        dg_tensor_drop(result);
    }
    return finish(call, all, self->type);
}

static int64_t product_of(const int64_t *sizes, int from, int end)
{
    int64_t product = 1;

    for (int dim = from; dim < end; dim++)
        product *= sizes[dim];
    return product;
}

/* `tensor`, contiguous, as another shape of as many elements: one share. */
static struct dg_tensor *shaped(const struct dg_tensor *tensor, int rank,
                                const int64_t *sizes)
{
    int64_t strides[DG_RANK_MOST];

    dg_contiguous_strides(rank, sizes, strides);
    return dg_tensor_view(tensor, rank, sizes, strides, tensor->offset);
}

/* The inverse of the matrix whose rows are the first `n` dimensions. */
enum dg_status dg_cpu_tensorinv(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *whole, *matrix, *inverse;
    int64_t n = dg_arg_int(call, 1, 2), sizes[2], swapped[DG_RANK_MOST];

    if (!self)
        return call->err->status;
    if (n < 1 || n > self->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld of %d dimensions", (long long)n,
                            self->rank);
    if (!dg_tensor_count(self))
        return dg_call_fail(call, DG_ERR_DEVICE, "an inverse of no elements");
    sizes[0] = product_of(self->sizes, 0, (int)n);
    sizes[1] = product_of(self->sizes, (int)n, self->rank);
    for (int dim = 0; dim < self->rank; dim++)
        swapped[dim] = self->sizes[(dim + n) % self->rank];
    whole = dg_contiguous(call, self);
    matrix = whole ? shaped(whole, 2, sizes) : NULL;
    inverse = dg_apply(call, dg_cpu_linalg_inv, matrix, 0, NULL);
    dg_tensor_drop(whole);
    if (inverse) {
        dg_give(call, 0, shaped(inverse, self->rank, swapped));
        dg_tensor_drop(inverse);
    }
    return inverse ? DG_OK : call->err->status;
}

/* Argument 0 with the dimensions of argument 2 last, contiguous: one share. */
static struct dg_tensor *dims_last(struct dg_call *call, struct dg_tensor *self)
{
    int64_t dims[DG_RANK_MOST], sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
    int n = dg_arg_ints(call, 2, dims, DG_RANK_MOST), order[DG_RANK_MOST], next = 0;
    uint32_t moved = 0;
    struct dg_tensor permuted;

    if (n > self->rank)
        dg_call_fail(call, DG_ERR_FORMAT, "%d of %d dimensions", n, self->rank);
    if (n < 0 || n > self->rank)
        return NULL;
    for (int i = 0; i < n; i++) {
        int dim;

        if (!dg_dimension(call, dims[i], self->rank, &dim))
            return NULL;
        if (moved >> dim & 1) {
            dg_call_fail(call, DG_ERR_FORMAT, "dimension %d appears twice", dim);
            return NULL;
        }
        moved |= 1u << dim;
        order[self->rank - n + i] = dim;
    }
    for (int dim = 0; dim < self->rank; dim++) {
        if (!(moved >> dim & 1))
            order[next++] = dim;
    }
    for (int dim = 0; dim < self->rank; dim++) {
        sizes[dim] = self->sizes[order[dim]];
        strides[dim] = self->strides[order[dim]];
    }
    permuted = dg_shaped(self, self->rank, sizes, strides);
    return converted(call, &permuted, self->type);
}

enum dg_status dg_cpu_tensorsolve(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *b = dg_arg_tensor(call, 1);
    struct dg_tensor *whole, *flat = NULL, *x = NULL;
    int64_t sizes[2];

    if (!self || !b || b->rank > self->rank)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "the right side is missing, or has too many dimensions");
    if (!dg_tensor_count(self))
        return dg_call_fail(call, DG_ERR_DEVICE, "equations of no elements");
    whole = dims_last(call, self);
    if (!whole)
        return call->err->status;
    sizes[0] = dg_tensor_count(b);
    sizes[1] = product_of(whole->sizes, b->rank, whole->rank); /* not 0 */
    if (sizes[0] != dg_tensor_count(whole) / sizes[1])
        dg_call_fail(call, DG_ERR_FORMAT, "%lld equations of %lld elements",
                     (long long)sizes[0], (long long)dg_tensor_count(whole));
    else
        flat = dg_flattened(call, b);
    if (flat)
        x = dg_apply(call, dg_cpu_linalg_solve, shaped(whole, 2, sizes),
                     DG_REST(dg_tensor_arg(flat)));
    if (x)
        dg_give(call, 0, shaped(x, whole->rank - b->rank, whole->sizes + b->rank));
    dg_tensor_drop(x);
    dg_tensor_drop(flat);
    dg_tensor_drop(whole);
    return call->err->status;
}
