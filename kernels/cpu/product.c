/* Matrix products of tensors: shapes checked, batches broadcast. */
#include "kernels/cpu/product.h"

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"

bool dg_insert_dimension(struct dg_tensor *tensor, int dim)
{
    if (tensor->rank == DG_RANK_MOST)
        return false;
    for (int d = tensor->rank++; d > dim; d--) {
        tensor->sizes[d] = tensor->sizes[d - 1];
        tensor->strides[d] = tensor->strides[d - 1];
    }
    tensor->sizes[dim] = 1;
    tensor->strides[dim] = 0;
    return true;
}

void dg_exchange_dimensions(struct dg_tensor *tensor, int a, int b)
{
    int64_t size = tensor->sizes[a], stride = tensor->strides[a];

    tensor->sizes[a] = tensor->sizes[b];
    tensor->strides[a] = tensor->strides[b];
    tensor->sizes[b] = size;
    tensor->strides[b] = stride;
}

bool dg_join_dimensions(struct dg_tensor *tensor, int from, int to)
{
    bool empty = !dg_tensor_count(tensor); /* then no stride matters */

    for (; from < to; to--) {
        int64_t *sizes = tensor->sizes, *strides = tensor->strides;

        if (sizes[to - 1] == 1)
            strides[to - 1] = sizes[to] * strides[to];
        if (sizes[to] == 1)
            strides[to] = strides[to - 1];
        else if (!empty && strides[to - 1] != sizes[to] * strides[to])
            return false;
        sizes[to - 1] *= sizes[to];
        strides[to - 1] = strides[to];
        for (int d = to; d < tensor->rank - 1; d++) {
            sizes[d] = sizes[d + 1];
            strides[d] = strides[d + 1];
        }
        tensor->rank--;
    }
    return true;
}

bool dg_expand(struct dg_tensor *tensor, int rank, const int64_t *sizes)
{
    while (tensor->rank < rank)
        dg_insert_dimension(tensor, 0);
    if (tensor->rank > rank)
        return false;
    for (int dim = 0; dim < rank; dim++) {
        if (tensor->sizes[dim] == sizes[dim])
            continue;
        if (tensor->sizes[dim] != 1)
            return false;
        tensor->sizes[dim] = sizes[dim];
        tensor->strides[dim] = 0;
    }
    return true;
}

static bool has_rank(const struct dg_tensor *tensor, int rank)
{
    return rank < 0 ? tensor->rank >= rank + 2 : tensor->rank == rank;
}

enum dg_status dg_product_begin(struct dg_call *call, struct dg_product *product,
                                struct dg_tensor *a, int a_rank, struct dg_tensor *b,
                                int b_rank)
{
    char shapes[2][400];

    if (!a || !b)
        return dg_call_fail(call, DG_ERR_FORMAT, "a tensor is missing");
    if (!has_rank(a, a_rank) || !has_rank(b, b_rank))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "shapes %.150s and %.150s do not fit the operator",
                            dg_shape_text(a, shapes[0], sizeof(shapes[0])),
                            dg_shape_text(b, shapes[1], sizeof(shapes[1])));
    if (dg_kept_type(call->context, a->type) != dg_kept_type(call->context, b->type))
        return dg_call_fail(call, DG_ERR_FORMAT, "a product of %s and %s",
                            dg_type_name(a->type), dg_type_name(b->type));
    if (!dg_type_is_float(a->type) && (a->type < DG_TYPE_U8 || a->type > DG_TYPE_I64))
        return dg_call_fail(call, DG_ERR_DEVICE, "no matrix product of %s",
                            dg_type_name(a->type));
    *product = (struct dg_product){*a, *b, NULL, 1, 0, a->type, 0, {0}};
    return DG_OK;
}

/* The tensor's last two dimensions; those before are of the batch. */
static enum dg_status set_matrix(struct dg_call *call, struct dg_gemm_matrix *matrix,
                                 struct dg_tensor tensor, const struct dg_gemm *gemm,
                                 int64_t rows, int64_t columns)
{
    int64_t sizes[DG_RANK_MOST + 2];
    int rank = gemm->batch_rank;
    char text[400];

    for (int dim = 0; dim < rank; dim++)
        sizes[dim] = gemm->batch_sizes[dim];
    sizes[rank] = rows;
    sizes[rank + 1] = columns;
    dg_shape_text(&tensor, text, sizeof(text));
    if (rank + 2 > DG_RANK_MOST || !dg_expand(&tensor, rank + 2, sizes))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "shape %.300s does not fit products of %lld x %lld", text,
                            (long long)gemm->m, (long long)gemm->n);
    matrix->type = tensor.type;
    matrix->data = dg_tensor_data(&tensor);
    matrix->row = tensor.strides[rank];
    matrix->column = tensor.strides[rank + 1];
    for (int dim = 0; dim < rank; dim++)
        matrix->batch[dim] = tensor.strides[dim];
    return DG_OK;
}

static enum dg_status check_sizes(struct dg_call *call, const struct dg_product *p)
{
    int64_t k[] = {p->a.sizes[p->a.rank - 1], p->b.sizes[p->b.rank - 2]};

    if (k[0] == k[1])
        return DG_OK;
    return dg_call_fail(call, DG_ERR_FORMAT,
                        "the first matrix has %lld columns and the second %lld rows",
                        (long long)k[0], (long long)k[1]);
}

/* Batch dimensions, m, n and k, and the operands. */
static enum dg_status set_sizes(struct dg_call *call, struct dg_gemm *gemm,
                                const struct dg_product *product)
{
    struct dg_tensor a = product->a, b = product->b;
    enum dg_status status = check_sizes(call, product);

    a.rank -= 2;
    b.rank -= 2;
    if (status == DG_OK)
        status = dg_broadcast(call, 2, (struct dg_tensor *[]){&a, &b},
                              &gemm->batch_rank, gemm->batch_sizes);
    if (status)
        return status;
    gemm->m = a.sizes[a.rank];
    gemm->k = a.sizes[a.rank + 1];
    gemm->n = b.sizes[b.rank + 1];
    status = set_matrix(call, &gemm->a, product->a, gemm, gemm->m, gemm->k);
    if (status == DG_OK)
        status = set_matrix(call, &gemm->b, product->b, gemm, gemm->k, gemm->n);
    if (status == DG_OK && product->add && product->beta != 0)
        status = set_matrix(call, &gemm->add, *product->add, gemm, gemm->m, gemm->n);
    return status;
}

static void set_result(struct dg_gemm *gemm, const struct dg_tensor *result)
{
    int64_t step = gemm->m * gemm->n;

    gemm->c = (struct dg_gemm_matrix){.type = result->type,
                                      .data = dg_tensor_data(result),
                                      .row = gemm->n,
                                      .column = 1};
    for (int dim = gemm->batch_rank - 1; dim >= 0; dim--) {
        gemm->c.batch[dim] = step;
        step *= gemm->batch_sizes[dim];
    }
}

enum dg_status dg_product_run(struct dg_call *call, struct dg_product *product)
{
    struct dg_gemm gemm = {.alpha = product->alpha, .beta = product->beta};
    enum dg_status status = set_sizes(call, &gemm, product);
    struct dg_tensor *result;

    if (status)
        return status;
    result = dg_result(call, 0, product->type, product->rank, product->sizes);
    if (!result)
        return call->err->status;
    gemm.integers = !dg_type_is_float(product->a.type);
    gemm.narrow = dg_sums_are_narrow(call->context, product->a.type);
    /* As torch does, which asks BLAS: with alpha 0 even NaN of f32 does not count. */
    if (gemm.alpha == 0 && dg_type_bytes(product->a.type) > 2)
        gemm.k = 0;
    set_result(&gemm, result);
    dg_gemm(call->context, &gemm);
    return DG_OK;
}
