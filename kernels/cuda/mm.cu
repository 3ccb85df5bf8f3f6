/* mm, bmm and their kin, matmul, linear. */
#include "kernels/cuda/product.cuh"

#include <string.h>

extern "C" {
#include "kernels/cpu/walk.h"
}

static enum dg_status need_rank(struct dg_call *call, size_t arg, int rank)
{
    const struct dg_tensor *tensor = dg_arg_tensor(call, arg);

    return tensor && tensor->rank == rank
               ? DG_OK
               : dg_call_fail(call, DG_ERR_FORMAT,
                              "argument %zu has %d dimensions, not %d", arg,
                              tensor ? tensor->rank : 0, rank);
}

/* The product of arguments `first` and the one behind it, both of that rank, which adds
 * to `added` unless that is NULL. */
static enum dg_status multiply_args(struct dg_call *call, size_t first, int rank,
                                    const struct dg_tensor *added, double alpha,
                                    double beta, enum dg_type type)
{
    const struct dg_tensor *a, *b;
    struct factor left = {}, right = {};
    int64_t sizes[3];
    struct dg_tensor *out;

    if (need_rank(call, first, rank) || need_rank(call, first + 1, rank))
        return call->err->status;
    a = dg_arg_tensor(call, first);
    b = dg_arg_tensor(call, first + 1);
    if (a->type != b->type || (rank == 3 && a->sizes[0] != b->sizes[0]))
        return dg_call_fail(call, DG_ERR_FORMAT, "factors of %s and %s, %lld and %lld",
                            dg_type_name(a->type), dg_type_name(b->type),
                            (long long)a->sizes[0], (long long)b->sizes[0]);
    for (int d = 0; d < rank; d++)
        sizes[d] = d == rank - 1 ? b->sizes[d] : a->sizes[d];
    out = dg_result(call, 0, type == DG_TYPE_NONE ? a->type : type, rank, sizes);
    if (!out || take_factor(call, &left, a, a->type, rank - 2, sizes) ||
        take_factor(call, &right, b, a->type, rank - 2, sizes))
        return call->err->status;
    if (added && beta != 0) {
        struct dg_tensor *both[] = {out, (struct dg_tensor *)added};
        int64_t common[DG_RANK_MOST];
        int common_rank;

        if (dg_broadcast(call, 2, both, &common_rank, common))
            return call->err->status;
        if (common_rank != rank || memcmp(common, sizes, sizeof(*sizes) * (size_t)rank))
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "what is added does not broadcast to the product");
        if (copy_elements(call, out, added))
            return call->err->status;
    }
    return multiply(call, out, &left, &right, alpha, added ? beta : 0);
}

enum dg_status dg_cuda_mm(struct dg_call *call)
{
    return multiply_args(call, 0, 2, NULL, 1, 0, dg_arg_type(call, 2, DG_TYPE_NONE));
}

enum dg_status dg_cuda_bmm(struct dg_call *call)
{
    return multiply_args(call, 0, 3, NULL, 1, 0, dg_arg_type(call, 2, DG_TYPE_NONE));
}

/* (self, a, b, beta, alpha) */
static enum dg_status add_product(struct dg_call *call, int rank)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0);

    if (!self)
        return dg_call_fail(call, DG_ERR_FORMAT, "a tensor is missing");
    return multiply_args(call, 1, rank, self, dg_arg_real(call, 4, 1),
                         dg_arg_real(call, 3, 1), DG_TYPE_NONE);
}

enum dg_status dg_cuda_addmm(struct dg_call *call)
{
    return add_product(call, 2);
}

enum dg_status dg_cuda_baddbmm(struct dg_call *call)
{
    return add_product(call, 3);
}

/* A vector as one row, or as one column. */
static struct dg_tensor as_matrix(const struct dg_tensor *tensor, bool column)
{
    struct dg_tensor matrix = *tensor;

    if (tensor->rank > 1)
        return matrix;
    matrix.rank = 2;
    matrix.sizes[!column] = tensor->sizes[0];
    matrix.strides[!column] = tensor->strides[0];
    matrix.sizes[column] = 1;
    matrix.strides[column] = 1;
    return matrix;
}

/* All dimensions but the last as one, where strides allow; false: they do not. */
static bool flatten_rows(struct dg_tensor *tensor)
{
    int64_t rows = 1, step = 0;

    for (int d = tensor->rank - 2; d >= 0; d--) {
        if (tensor->sizes[d] == 1)
            continue;
        if (rows != 1 && tensor->strides[d] != step * rows)
            return false;
        step = rows == 1 ? tensor->strides[d] : step;
        rows *= tensor->sizes[d];
    }
    tensor->sizes[1] = tensor->sizes[tensor->rank - 1];
    tensor->strides[1] = tensor->strides[tensor->rank - 1];
    tensor->sizes[0] = rows;
    tensor->strides[0] = step;
    tensor->rank = 2;
    return true;
}

/* Result 0, of `sizes`, is a b; bias, where there is one, broadcasts to it. */
static enum dg_status multiply_into(struct dg_call *call, struct dg_tensor a,
                                    struct dg_tensor b, const struct dg_tensor *bias,
                                    int rank, const int64_t *sizes, int batch_rank,
                                    const int64_t *batch)
{
    struct factor left = {}, right = {};
    struct dg_tensor *out;

    if (a.type != b.type || (bias && bias->type != a.type))
        return dg_call_fail(call, DG_ERR_FORMAT, "a product of %s and %s",
                            dg_type_name(a.type), dg_type_name(b.type));
    out = dg_result(call, 0, a.type, rank, sizes);
    if (!out)
        return call->err->status;
    if (b.rank == 2 && flatten_rows(&a))
        batch_rank = 0;
    if (take_factor(call, &left, &a, a.type, batch_rank, batch) ||
        take_factor(call, &right, &b, b.type, batch_rank, batch) ||
        (bias && copy_elements(call, out, bias)))
        return call->err->status;
    return multiply(call, out, &left, &right, 1, bias ? 1 : 0);
}

enum dg_status dg_cuda_matmul(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0),
                           *other = dg_arg_tensor(call, 1);
    struct dg_tensor a, b, heads[2];
    struct dg_tensor *both[] = {&heads[0], &heads[1]};
    int64_t sizes[DG_RANK_MOST + 2];
    int batch_rank, rank;

    if (!self || !other || !self->rank || !other->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "a product of other than tensors");
    a = heads[0] = as_matrix(self, false);
    b = heads[1] = as_matrix(other, true);
    heads[0].rank -= 2;
    heads[1].rank -= 2;
    if (dg_broadcast(call, 2, both, &batch_rank, sizes))
        return call->err->status;
    rank = batch_rank;
    if (self->rank > 1)
        sizes[rank++] = a.sizes[a.rank - 2];
    if (other->rank > 1)
        sizes[rank++] = b.sizes[b.rank - 1];
    if (a.sizes[a.rank - 1] != b.sizes[b.rank - 2])
        return dg_call_fail(
            call, DG_ERR_FORMAT, "a product of %lld columns and %lld rows",
            (long long)a.sizes[a.rank - 1], (long long)b.sizes[b.rank - 2]);
    return multiply_into(call, a, b, NULL, rank, sizes, batch_rank, sizes);
}

/* (self, vec) */
enum dg_status dg_cuda_mv(struct dg_call *call)
{
    return need_rank(call, 0, 2) || need_rank(call, 1, 1) ? call->err->status
                                                          : dg_cuda_matmul(call);
}

enum dg_status dg_cuda_dot(struct dg_call *call)
{
    return need_rank(call, 0, 1) || need_rank(call, 1, 1) ? call->err->status
                                                          : dg_cuda_matmul(call);
}

/* (input, weight, bias) */
enum dg_status dg_cuda_linear(struct dg_call *call)
{
    const struct dg_tensor *self = dg_arg_tensor(call, 0),
                           *weight = dg_arg_tensor(call, 1);
    const struct dg_tensor *bias = dg_arg_tensor(call, 2);
    struct dg_tensor a, b;
    int64_t sizes[DG_RANK_MOST];

    if (!self || !weight || !self->rank || weight->rank != 2)
        return dg_call_fail(call, DG_ERR_DEVICE, "a linear layer of this kind");
    if (self->sizes[self->rank - 1] != weight->sizes[1] ||
        (bias && (bias->rank != 1 || bias->sizes[0] != weight->sizes[0])))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld features for a weight of %lld by %lld",
                            (long long)self->sizes[self->rank - 1],
                            (long long)weight->sizes[0], (long long)weight->sizes[1]);
    a = as_matrix(self, false);
    b = *weight;
    for (int d = 0; d < 2; d++) {
        b.sizes[d] = weight->sizes[1 - d];
        b.strides[d] = weight->strides[1 - d];
    }
    for (int d = 0; d < self->rank; d++)
        sizes[d] = d == self->rank - 1 ? weight->sizes[0] : self->sizes[d];
    return multiply_into(call, a, b, bias, self->rank, sizes, a.rank - 2, sizes);
}
