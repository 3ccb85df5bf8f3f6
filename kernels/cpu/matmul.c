/* aten::matmul and aten::linear: products of any ranks. */
#include "kernels/cpu/product.h"
#include "kernels/cpu/walk.h"

/* Rows of a batch that meets one matrix are rows of one product: the matrix is read
 * once. The share of a copy goes to *copy. */
static enum dg_status join_rows(struct dg_call *call, struct dg_tensor *tensor,
                                struct dg_tensor **copy)
{
    struct dg_tensor joined = *tensor;

    if (!dg_join_dimensions(&joined, 0, tensor->rank - 2)) {
        *copy = dg_contiguous(call, tensor);
        if (!*copy)
            return call->err->status;
        joined = **copy;
        dg_join_dimensions(&joined, 0, tensor->rank - 2);
    }
    *tensor = joined;
    return DG_OK;
}

static bool has_rows_to_join(const struct dg_product *product)
{
    const struct dg_tensor *add = product->add;

    return product->b.rank == 2 && product->a.rank > 2 && (!add || add->rank < 2);
}

/* Sizes of the result: those of the broadcast batch, then of the dimensions that are
 * not vectors. */
static enum dg_status set_shape(struct dg_call *call, struct dg_product *product,
                                bool row, bool column)
{
    struct dg_tensor a = product->a, b = product->b;
    enum dg_status status;

    a.rank -= 2;
    b.rank -= 2;
    status = dg_broadcast(call, 2, (struct dg_tensor *[]){&a, &b}, &product->rank,
                          product->sizes);
    if (status)
        return status;
    if (!row)
        product->sizes[product->rank++] = a.sizes[a.rank];
    if (!column)
        product->sizes[product->rank++] = b.sizes[b.rank + 1];
    return DG_OK;
}

static enum dg_status multiply_any(struct dg_call *call, struct dg_product *product,
                                   bool row, bool column)
{
    struct dg_tensor *copy = NULL;
    enum dg_status status = set_shape(call, product, row, column);

    if (status == DG_OK && has_rows_to_join(product))
        status = join_rows(call, &product->a, &copy);
    if (status == DG_OK)
        status = dg_product_run(call, product);
    dg_tensor_drop(copy);
    return status;
}

enum dg_status dg_cpu_matmul(struct dg_call *call)
{
    struct dg_product product;
    struct dg_tensor *a = dg_arg_tensor(call, 0), *b = dg_arg_tensor(call, 1);
    enum dg_status status = dg_product_begin(call, &product, a, -1, b, -1);

    if (status)
        return status;
    if (a->rank == 1)
        dg_insert_dimension(&product.a, 0);
    if (b->rank == 1)
        dg_insert_dimension(&product.b, 1);
    return multiply_any(call, &product, a->rank == 1, b->rank == 1);
}

/* input [..., k], weight [n, k] or [k], bias [n] or a scalar */
enum dg_status dg_cpu_linear(struct dg_call *call)
{
    struct dg_product product;
    struct dg_tensor *input = dg_arg_tensor(call, 0), *weight = dg_arg_tensor(call, 1);
    struct dg_tensor *bias = dg_arg_tensor(call, 2);
    enum dg_status status = dg_product_begin(call, &product, input, -1, weight, -1);

    if (status == DG_OK && weight->rank > 2)
        status = dg_call_fail(call, DG_ERR_FORMAT, "a weight of rank %d", weight->rank);
    if (status)
        return status;
    if (input->rank == 1)
        dg_insert_dimension(&product.a, 0);
    if (weight->rank == 1)
        dg_insert_dimension(&product.b, 0);
    dg_exchange_dimensions(&product.b, 0, 1);
    product.add = bias;
    product.beta = bias ? 1 : 0;
    return multiply_any(call, &product, input->rank == 1, weight->rank == 1);
}

/* The last dimensions of both: [..., k] and [..., k] give [..., ...]; a scalar is as a
 * factor. */
enum dg_status dg_cpu_inner(struct dg_call *call)
{
    struct dg_product product;
    struct dg_tensor *a = dg_arg_tensor(call, 0), *b = dg_arg_tensor(call, 1);
    struct dg_tensor *copies[2] = {NULL, NULL};
    enum dg_status status = dg_product_begin(call, &product, a, -2, b, -2);

    if (status)
        return status;
    if (a->rank == 0 || b->rank == 0) {
        dg_insert_dimension(&product.a, a->rank);
        dg_insert_dimension(&product.b, b->rank);
    }
    if (product.a.rank + product.b.rank - 2 > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "ranks %d and %d", a->rank, b->rank);
    for (int dim = 0; dim < product.a.rank - 1; dim++)
        product.sizes[product.rank++] = product.a.sizes[dim];
    for (int dim = 0; dim < product.b.rank - 1; dim++)
        product.sizes[product.rank++] = product.b.sizes[dim];
    if (product.a.rank == 1)
        dg_insert_dimension(&product.a, 0);
    if (product.b.rank == 1)
        dg_insert_dimension(&product.b, 0);
    status = join_rows(call, &product.a, &copies[0]);
    if (status == DG_OK)
        status = join_rows(call, &product.b, &copies[1]);
    if (status == DG_OK) {
        dg_exchange_dimensions(&product.b, 0, 1);
        status = dg_product_run(call, &product);
    }
    dg_tensor_drop(copies[0]);
    dg_tensor_drop(copies[1]);
    return status;
}

/* The sum of products along one dimension of both, which broadcast otherwise. */
enum dg_status dg_cpu_vecdot(struct dg_call *call)
{
    struct dg_product product;
    struct dg_tensor *a = dg_arg_tensor(call, 0), *b = dg_arg_tensor(call, 1);
    enum dg_status status = dg_product_begin(call, &product, a, -1, b, -1);
    int64_t dim = dg_arg_int(call, 2, -1);

    if (status)
        return status;
    /* Counted from the end, a dimension is the same one of both. */
    dim = dim < -DG_RANK_MOST ? 0 : dim < 0 ? -dim : a->rank - dim;
    if (dim < 1 || dim > a->rank || dim > b->rank || (dim > 1 && a->rank != b->rank))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "dimension %lld of tensors of rank %d and %d",
                            (long long)dg_arg_int(call, 2, -1), a->rank, b->rank);
    for (; dim > 1; dim--) {
        dg_exchange_dimensions(&product.a, a->rank - (int)dim, a->rank - (int)dim + 1);
        dg_exchange_dimensions(&product.b, b->rank - (int)dim, b->rank - (int)dim + 1);
    }
    if (a->rank == DG_RANK_MOST || b->rank == DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "rank %d", DG_RANK_MOST);
    dg_insert_dimension(&product.a, a->rank - 1);
    dg_insert_dimension(&product.b, b->rank);
    return multiply_any(call, &product, true, true);
}
