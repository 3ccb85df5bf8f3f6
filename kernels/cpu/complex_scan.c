/* Products and running products of complex numbers along a dimension. */
#include <complex.h>

#include "kernels/cpu/complex.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

/* Elements in the order of their indices: before, along, behind the dimension. */
struct lines {
    double complex *data;
    int rank;
    int64_t sizes[DG_RANK_MOST], before, n, behind;
};

typedef double complex step_fn(double complex so_far, double complex next);

/* `data` as a contiguous tensor. */
static struct dg_tensor tensor_over(double complex *data, struct dg_storage *storage,
                                    int rank, const int64_t *sizes)
{
    struct dg_tensor tensor = {.type = DG_TYPE_C128, .rank = rank, .storage = storage};

    dg_contiguous_strides(rank, sizes, tensor.strides);
    for (int i = 0; i < rank; i++)
        tensor.sizes[i] = sizes[i];
    *storage =
        (struct dg_storage){(unsigned char *)data,
                            (size_t)dg_tensor_count(&tensor) * sizeof(*data), 1, NULL};
    return tensor;
}

/* Argument 0 as c128, all of it in one line where no dimension is named. */
static enum dg_status read_lines(struct lines *lines, struct dg_call *call,
                                 const int64_t *dim)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), to;
    struct dg_storage storage;
    int at = 0;

    if (!self || (dim && !dg_dimension(call, *dim, self->rank, &at)))
        return call->err->status;
    *lines = (struct lines){.rank = self->rank, .before = 1, .n = 1, .behind = 1};
    for (int i = 0; i < self->rank; i++) {
        int64_t *count = !dim || i == at ? &lines->n
                         : i < at        ? &lines->before
                                         : &lines->behind;

        if (__builtin_mul_overflow(*count, self->sizes[i], count))
            return dg_call_fail(call, DG_ERR_FORMAT, "a result larger than memory");
        lines->sizes[i] = self->sizes[i];
    }
    lines->data = dg_scratch(call, dg_tensor_count(self), sizeof(*lines->data));
    if (!lines->data)
        return call->err->status;
    to = tensor_over(lines->data, &storage, self->rank, self->sizes);
    if (dg_tensor_count(self))
        dg_copy_elements(&to, self, call->context->n_threads);
    return DG_OK;
}

/* Result 0 from elements in the order of their indices. */
static enum dg_status give(struct dg_call *call, size_t type_at, int rank,
                           const int64_t *sizes, double complex *data)
{
    enum dg_type type = dg_arg_type(call, type_at, dg_arg_tensor(call, 0)->type);
    struct dg_tensor *result = dg_result(call, 0, type, rank, sizes), from;
    struct dg_storage storage;

    if (!result)
        return call->err->status;
    from = tensor_over(data, &storage, rank, sizes);
    if (dg_tensor_count(result))
        dg_copy_elements(result, &from, call->context->n_threads);
    return DG_OK;
}

static enum dg_status scan(struct dg_call *call, step_fn *step, dg_kernel_fn *real)
{
    struct lines lines;
    int64_t dim = dg_arg_int(call, 1, 0);
    enum dg_status status;

    if (dg_complex_wants_real(call))
        return dg_complex_by_parts(call, real);
    status = read_lines(&lines, call, &dim);
    if (status)
        return status;
    for (int64_t i = 0; lines.n && i < lines.before * lines.behind; i++) {
        double complex *at =
            lines.data + i / lines.behind * lines.n * lines.behind + i % lines.behind;

        for (int64_t k = 1; k < lines.n; k++)
            at[k * lines.behind] =
                step(at[(k - 1) * lines.behind], at[k * lines.behind]);
    }
    return give(call, 2, lines.rank, lines.sizes, lines.data);
}

enum dg_status dg_complex_cumprod(struct dg_call *call)
{
    return scan(call, dg_complex_times, dg_cpu_cumprod);
}

enum dg_status dg_complex_logcumsumexp(struct dg_call *call)
{
    return scan(call, dg_complex_log_of_sum, dg_cpu_logcumsumexp);
}

static enum dg_status reduce(struct dg_call *call, const int64_t *dim, bool keeps_dim,
                             size_t type_at)
{
    struct lines lines;
    enum dg_status status = read_lines(&lines, call, dim);
    int64_t sizes[DG_RANK_MOST], n_lines;
    double complex *products;
    int rank = 0, at = 0;

    if (status)
        return status;
    if (__builtin_mul_overflow(lines.before, lines.behind, &n_lines))
        return dg_call_fail(call, DG_ERR_FORMAT, "a result larger than memory");
    products = dg_scratch(call, n_lines, sizeof(*products));
    if (!products)
        return call->err->status;
    for (int64_t i = 0; i < n_lines; i++) {
        const double complex *line =
            lines.data + i / lines.behind * lines.n * lines.behind + i % lines.behind;

        products[i] = 1;
        for (int64_t k = 0; k < lines.n; k++)
            products[i] = dg_complex_times(products[i], line[k * lines.behind]);
    }
    if (dim && !dg_dimension(call, *dim, lines.rank, &at))
        return call->err->status;
    for (int i = 0; dim && i < lines.rank; i++) {
        if (i != at || keeps_dim)
            sizes[rank++] = i == at ? 1 : lines.sizes[i];
    }
    return give(call, type_at, rank, sizes, products);
}

enum dg_status dg_complex_prod(struct dg_call *call)
{
    return dg_complex_wants_real(call) ? dg_complex_by_parts(call, dg_cpu_prod)
                                       : reduce(call, NULL, false, 1);
}

enum dg_status dg_complex_prod_dim(struct dg_call *call)
{
    int64_t dim = dg_arg_int(call, 1, 0);

    return dg_complex_wants_real(call)
               ? dg_complex_by_parts(call, dg_cpu_prod_dim)
               : reduce(call, &dim, dg_arg_bool(call, 2, false), 3);
}
