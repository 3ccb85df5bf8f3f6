/* Products of matrices: by cuBLAS for floats, by a kernel for integers. */
#include "kernels/cuda/product.cuh"

#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/types.cuh"

struct dg_tensor shaped(const struct dg_tensor *self, int rank, const int64_t *sizes,
                        const int64_t *strides)
{
    struct dg_tensor view = *self;

    view.rank = rank;
    for (int d = 0; d < rank; d++) {
        view.sizes[d] = sizes[d];
        view.strides[d] = strides[d];
    }
    return view;
}

/* Whether rows or columns are dense, and the others apart from each other. */
static bool is_plain(const struct dg_tensor *matrices)
{
    int64_t m = matrices->sizes[1], n = matrices->sizes[2];
    int64_t row = matrices->strides[1], column = matrices->strides[2];

    return ((column == 1 || n <= 1) && (row >= n || m <= 1)) ||
           ((row == 1 || m <= 1) && (column >= m || n <= 1));
}

/* The dimensions in front of the last two as one; false: their strides do not join. */
static bool join_batch(const struct dg_tensor *tensor, struct dg_tensor *view)
{
    int64_t sizes[3] = {1, tensor->sizes[tensor->rank - 2],
                        tensor->sizes[tensor->rank - 1]};
    int64_t strides[3] = {0, tensor->strides[tensor->rank - 2],
                          tensor->strides[tensor->rank - 1]};

    for (int d = tensor->rank - 3; d >= 0; d--) {
        if (tensor->sizes[d] == 1)
            continue;
        if (sizes[0] != 1 && tensor->strides[d] != strides[0] * sizes[0])
            return false;
        if (sizes[0] == 1)
            strides[0] = tensor->strides[d];
        sizes[0] *= tensor->sizes[d];
    }
    *view = shaped(tensor, 3, sizes, strides);
    return true;
}

enum dg_status take_factor(struct dg_call *call, struct factor *factor,
                           const struct dg_tensor *tensor, enum dg_type type,
                           int batch_rank, const int64_t *batch_sizes)
{
    int64_t sizes[DG_RANK_MOST + 2], strides[DG_RANK_MOST + 2];
    int rank = batch_rank + 2, shift = rank - tensor->rank;
    struct dg_tensor whole;

    if (rank > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "a product of rank %d", rank);
    for (int d = 0; d < rank; d++) {
        bool there = d >= shift && (tensor->sizes[d - shift] != 1 || d >= batch_rank);

        sizes[d] = d < batch_rank ? batch_sizes[d] : tensor->sizes[d - shift];
        strides[d] = there ? tensor->strides[d - shift] : 0;
    }
    whole = shaped(tensor, rank, sizes, strides);
    if (tensor->type == type && join_batch(&whole, &factor->view) &&
        is_plain(&factor->view))
        return DG_OK;
    factor->held = dg_tensor_new(call->context->memory, type, rank, sizes, call->err);
    if (!factor->held || copy_elements(call, factor->held, &whole))
        return call->err->status;
    join_batch(factor->held, &factor->view);
    return DG_OK;
}

static struct dg_matrix matrix_of(const struct dg_tensor *view)
{
    struct dg_matrix matrix = {dg_tensor_data(view), view->type, view->strides[1],
                               view->strides[2], view->strides[0]};
    bool by_rows = (view->strides[2] == 1 || view->sizes[2] <= 1) &&
                   (view->strides[1] >= view->sizes[2] || view->sizes[1] <= 1);

    /* What a single row or column does not need may be too small for cuBLAS. */
    if (by_rows)
        matrix.columns = 1;
    else
        matrix.rows = 1;
    if (by_rows && view->sizes[1] <= 1)
        matrix.rows = view->sizes[2] > 1 ? view->sizes[2] : 1;
    if (!by_rows && view->sizes[2] <= 1)
        matrix.columns = view->sizes[1] > 1 ? view->sizes[1] : 1;
    return matrix;
}

struct integer_product {
    int64_t n_total, m, n, k, alpha, beta;
    struct dg_matrix a, b;
};

template <class T>
static __global__ void multiply_integers(struct integer_product job, T *c)
{
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x, sum = 0;
    const T *a, *b;

    if (i >= job.n_total)
        return;
    a = (const T *)job.a.data + i / (job.m * job.n) * job.a.batch +
        i / job.n % job.m * job.a.rows;
    b = (const T *)job.b.data + i / (job.m * job.n) * job.b.batch +
        i % job.n * job.b.columns;
    for (int64_t k = 0; k < job.k; k++)
        sum = plus(sum,
                   times(value_of(a[k * job.a.columns]), value_of(b[k * job.b.rows])));
    sum = times(sum, job.alpha);
    if (job.beta)
        sum = plus(sum, times(job.beta, value_of(c[i])));
    c[i] = store<T>::of(sum);
}

static enum dg_status run_integers(struct dg_call *call, const struct dg_tensor *c,
                                   const struct dg_product_job *job)
{
    struct integer_product integers = {job->n_batch * job->m * job->n,
                                       job->m,
                                       job->n,
                                       job->k,
                                       (int64_t)job->alpha,
                                       (int64_t)job->beta,
                                       job->a,
                                       job->b};
    enum dg_status status = with_integer(c->type, [&](auto element) {
        return launch(call, multiply_integers<decltype(element)>,
                      blocks_for(integers.n_total), THREADS, integers,
                      (decltype(element) *)dg_tensor_data(c));
    });

    return status && !call->err->status
               ? dg_call_fail(call, DG_ERR_DEVICE, "products of %s",
                              dg_type_name(c->type))
               : status;
}

enum dg_status multiply(struct dg_call *call, const struct dg_tensor *c,
                        const struct factor *a, const struct factor *b, double alpha,
                        double beta)
{
    struct dg_cuda *cuda = (struct dg_cuda *)call->context->memory->state;
    int64_t m = a->view.sizes[1], n = b->view.sizes[2], k = a->view.sizes[2];
    struct dg_matrix out = {dg_tensor_data(c), c->type, n, 1, m * n};
    struct dg_product_job job = {
        m,   n,     k,    a->view.sizes[0],   matrix_of(&a->view), matrix_of(&b->view),
        out, alpha, beta, call->context->tf32};

    if (k != b->view.sizes[1])
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a product of %lld columns and %lld rows", (long long)k,
                            (long long)b->view.sizes[1]);
    if (!dg_tensor_count(c))
        return DG_OK;
    if (!k && beta == 0)
        return fill_elements(call, c, 0, 0);
    if (!dg_type_is_float(c->type))
        return run_integers(call, c, &job);
    return cuda->multiply(cuda, &job, call->err);
}
