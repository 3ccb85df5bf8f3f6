/* Matrices of several tensors, or of choices of elements: block_diag, cartesian_prod,
 * combinations, diagflat. */
#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/walk.h"

/* A tensor as a matrix: a vector is a row. */
static struct dg_tensor as_matrix(const struct dg_tensor *tensor)
{
    struct dg_tensor matrix = dg_shaped(tensor, 2, (int64_t[]){1, 1}, NULL);

    for (int dim = 0; dim < tensor->rank; dim++) {
        matrix.sizes[2 - tensor->rank + dim] = tensor->sizes[dim];
        matrix.strides[2 - tensor->rank + dim] = tensor->strides[dim];
    }
    return matrix;
}

/* The sizes of matrices together, and their common type. */
static enum dg_status measure(struct dg_call *call, struct dg_tensor *const *tensors,
                              size_t n, int64_t *sizes)
{
    for (size_t i = 0; i < n; i++) {
        struct dg_tensor matrix;

        if (!tensors[i] || tensors[i]->rank > 2)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "item %zu is no tensor of rank 2 or less", i);
        matrix = as_matrix(tensors[i]);
        for (int dim = 0; dim < 2; dim++) {
            if (__builtin_add_overflow(sizes[dim], matrix.sizes[dim], &sizes[dim]))
                return dg_call_fail(call, DG_ERR_FORMAT, "the blocks are too large");
        }
    }
    return DG_OK;
}

/* Of nothing torch makes a row without elements. */
enum dg_status dg_cpu_block_diag(struct dg_call *call)
{
    size_t n;
    struct dg_tensor **tensors = dg_arg_tensors(call, 0, &n), *result;
    int64_t sizes[2] = {n == 0, 0}, corner[2] = {0, 0};
    enum dg_status status = measure(call, tensors, n, sizes);

    if (status)
        return status;
    result = dg_result(call, 0,
                       n ? dg_common_type(call->args[0].as.list.items, n) : DG_TYPE_F32,
                       2, sizes);
    if (!result)
        return call->err->status;
    dg_zero_elements(result);
    for (size_t i = 0; i < n; i++) {
        struct dg_tensor from = as_matrix(tensors[i]);
        struct dg_tensor place = dg_shaped(result, 2, from.sizes, result->strides);

        place.offset += corner[0] * sizes[1] + corner[1];
        corner[0] += from.sizes[0];
        corner[1] += from.sizes[1];
        dg_copy_elements(&place, &from, call->context->n_threads);
    }
    return DG_OK;
}

/* Vectors of one type, whose sizes are given. */
static enum dg_status read_vectors(struct dg_call *call,
                                   struct dg_tensor *const *vectors, size_t n,
                                   int64_t *sizes)
{
    if (!n || n > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_DEVICE, "a product of %zu vectors", n);
    for (size_t i = 0; i < n; i++) {
        if (!vectors[i] || vectors[i]->rank != 1 ||
            vectors[i]->type != vectors[0]->type)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "item %zu is no vector of the type of the first", i);
        sizes[i] = vectors[i]->sizes[0];
    }
    return DG_OK;
}

/* Column `i` of the result, seen in all dimensions, from vector `i`, broadcast to them.
 */
static void fill_column(struct dg_call *call, struct dg_tensor *result,
                        const struct dg_tensor *vector, int n, int i,
                        const int64_t *sizes)
{
    int64_t strides[DG_RANK_MOST] = {0};
    struct dg_tensor from, column = dg_shaped(result, n, sizes, NULL);

    strides[i] = vector->strides[0];
    from = dg_shaped(vector, n, sizes, strides);
    for (int dim = 0; dim < n; dim++)
        column.strides[dim] *= n;
    column.offset += i;
    dg_move_elements(&column, &from, call->context->n_threads);
}

/* Every choice of one element of each vector, a row for each. */
enum dg_status dg_cpu_cartesian_prod(struct dg_call *call)
{
    size_t n;
    struct dg_tensor **vectors = dg_arg_tensors(call, 0, &n), *result;
    int64_t sizes[DG_RANK_MOST], count;
    enum dg_status status = read_vectors(call, vectors, n, sizes);

    if (status)
        return status;
    if (n == 1)
        return dg_finish(call, dg_tensor_keep(vectors[0]));
    if (!dg_shape_count((int)n, sizes, vectors[0]->type, &count))
        return dg_call_fail(call, DG_ERR_FORMAT, "the product is too large");
    result = dg_result(call, 0, vectors[0]->type, 2, (int64_t[]){count, (int64_t)n});
    for (size_t i = 0; result && i < n; i++)
        fill_column(call, result, vectors[i], (int)n, (int)i, sizes);
    return result ? DG_OK : call->err->status;
}

/* n over r; false: that does not fit int64. */
static bool count_choices(int64_t n, int64_t r, int64_t *count)
{
    *count = n >= r;
    if (r > n - r)
        r = n - r;
    for (int64_t i = 1; i <= r; i++) {
        if (__builtin_mul_overflow(*count, n - r + i, count))
            return false;
        *count /= i;
    }
    return true;
}

/* The next choice in the order of the alphabet; there is one. */
static void advance(int64_t *places, int64_t r, int64_t n, bool repeated)
{
    int64_t at = r - 1;

    while (places[at] == (repeated ? n - 1 : n - r + at))
        at--;
    places[at]++;
    for (int64_t i = at + 1; i < r; i++)
        places[i] = places[i - 1] + !repeated;
}

/* `count` rows of `r` elements each. */
static enum dg_status fill_choices(struct dg_call *call, const struct dg_tensor *vector,
                                   struct dg_tensor *result, bool repeated)
{
    int64_t count = result->sizes[0], r = result->sizes[1];
    int64_t *places = dg_scratch(call, r, sizeof(*places));
    size_t bytes = dg_type_bytes(vector->type);
    const char *from = dg_tensor_data(vector);
    char *to = dg_tensor_data(result);

    if (!places)
        return call->err->status;
    for (int64_t i = 1; i < r; i++)
        places[i] = repeated ? 0 : i;
    for (int64_t row = 0; row < count; row++) {
        if (row)
            advance(places, r, vector->sizes[0], repeated);
        for (int64_t i = 0; i < r; i++, to += bytes)
            dg_move_line(bytes, to, 1,
                         from + places[i] * vector->strides[0] * (int64_t)bytes, 1, 1);
    }
    return DG_OK;
}

/* self, r, with_replacement */
enum dg_status dg_cpu_combinations(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *result;
    int64_t r = dg_arg_int(call, 1, 2), n, count;
    bool repeated = dg_arg_bool(call, 2, false), counted;

    if (!self)
        return call->err->status;
    if (self->rank != 1 || r < 0)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "choices of %lld elements of a tensor of rank %d",
                            (long long)r, self->rank);
    n = self->sizes[0];
    counted = !repeated || !__builtin_add_overflow(n, r - 1, &n);
    if (!counted || !count_choices(n, r, &count))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "choices of %lld elements are too many", (long long)r);
    result = r ? dg_result(call, 0, self->type, 2, (int64_t[]){count, r})
               : dg_result(call, 0, self->type, 1, (int64_t[]){0});
    if (!result)
        return call->err->status;
    return dg_tensor_count(result) ? fill_choices(call, self, result, repeated) : DG_OK;
}

/* self, offset: all elements on a diagonal */
enum dg_status dg_cpu_diagflat(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);

    if (!self)
        return call->err->status;
    return dg_finish(call, dg_apply(call, dg_cpu_diag, dg_flattened(call, self),
                                    DG_REST(dg_integer_arg(dg_arg_int(call, 1, 0)))));
}
