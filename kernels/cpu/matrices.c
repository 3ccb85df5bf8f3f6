/* Batches of matrices: read from tensors and given as such. */
#include "kernels/cpu/matrices.h"

#include <complex.h>
#include <math.h>
#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

/* LAPACK counts work space of some squares of a size in 32 bits. */
enum { SIZE_MOST = 16384 };

static int dims_of(enum dg_matrix_form form)
{
    return form == DG_AS_NUMBER ? 0 : form == DG_AS_COLUMN ? 1 : 2;
}

enum dg_type dg_matrices_type(const struct dg_call *call,
                              const struct dg_tensor *tensor)
{
    bool in_f32 = call->context->precision == DG_PRECISION_OWN_SUMS;

    switch (tensor->type) {
    case DG_TYPE_F32:
        return in_f32 ? DG_TYPE_F32 : DG_TYPE_F64;
    case DG_TYPE_C64:
        return in_f32 ? DG_TYPE_C64 : DG_TYPE_C128;
    case DG_TYPE_F64:
    case DG_TYPE_C128:
        return tensor->type;
    default:
        return DG_TYPE_NONE;
    }
}

struct dg_tensor dg_matrices_tensor(const struct dg_matrices *matrices,
                                    enum dg_matrix_form form,
                                    struct dg_storage *storage)
{
    int rank = matrices->rank, n_dims = dims_of(form);
    int64_t stride = (int64_t)matrices->rows * matrices->columns;
    struct dg_tensor tensor = {
        .type = matrices->type, .rank = rank + n_dims, .storage = storage};
    bool transposed = form == DG_AS_ADJOINT;

    *storage = (struct dg_storage){.bytes = matrices->data,
                                   .size = (size_t)(matrices->n * stride) *
                                           dg_type_bytes(matrices->type),
                                   .holders = 1};
    memcpy(tensor.sizes, matrices->sizes, (size_t)rank * sizeof(*tensor.sizes));
    for (int dim = rank - 1; dim >= 0; stride *= tensor.sizes[dim--])
        tensor.strides[dim] = stride;
    if (n_dims) {
        tensor.sizes[rank + transposed] = matrices->rows;
        tensor.strides[rank + transposed] = 1;
    }
    if (n_dims == 2) {
        tensor.sizes[rank + !transposed] = matrices->columns;
        tensor.strides[rank + !transposed] = matrices->rows;
    }
    return tensor;
}

static int64_t count_of(const struct dg_matrices *matrices)
{
    return matrices->n * matrices->rows * matrices->columns;
}

static void conjugate(const struct dg_matrices *matrices)
{
    int64_t count = count_of(matrices);

    for (int64_t i = 0; i < count && matrices->type == DG_TYPE_C128; i++)
        ((double *)matrices->data)[2 * i + 1] *= -1;
    for (int64_t i = 0; i < count && matrices->type == DG_TYPE_C64; i++)
        ((float *)matrices->data)[2 * i + 1] *= -1;
}

void dg_disturb(const struct dg_call *call, enum dg_type type, void *elements,
                int64_t count, int64_t n)
{
    bool is_wide = dg_type_part(type) == DG_TYPE_F64;
    double share = is_wide ? (double)(n + 4) * 0x1p-53 : 0x1p-23;

    if (call->context->precision != DG_PRECISION_OWN_SUMS ||
        (!is_wide && dg_type_part(type) != DG_TYPE_F32))
        return;
    count *= dg_type_is_complex(type) ? 2 : 1;
    for (int64_t i = 0; i < count; i++) {
        double factor = (uint32_t)i * 2654435761u >> 31 ? 1 + share : 1 - share;

        if (is_wide)
            ((double *)elements)[i] *= factor;
        else
            ((float *)elements)[i] *= (float)factor;
    }
}

static enum dg_status make_room(struct dg_matrices *to, int64_t rows, int64_t columns)
{
    int64_t sizes[DG_RANK_MOST + 2], count;

    if (rows > SIZE_MOST || columns > SIZE_MOST)
        return dg_call_fail(to->call, DG_ERR_DEVICE,
                            "matrices of %lld by %lld; at most %d by %d are computed",
                            (long long)rows, (long long)columns, SIZE_MOST, SIZE_MOST);
    memcpy(sizes, to->sizes, sizeof(to->sizes));
    sizes[to->rank] = rows;
    sizes[to->rank + 1] = columns;
    if (!dg_shape_count(to->rank, to->sizes, DG_TYPE_BOOL, &to->n) ||
        !dg_shape_count(to->rank + 2, sizes, to->type, &count))
        return dg_call_fail(to->call, DG_ERR_FORMAT, "matrices larger than memory");
    to->rows = (int)rows;
    to->columns = (int)columns;
    to->data = dg_scratch(to->call, count, dg_type_bytes(to->type));
    return to->data ? DG_OK : to->call->err->status;
}

enum dg_status dg_matrices_load_as(struct dg_matrices *to, struct dg_call *call,
                                   const struct dg_tensor *tensor,
                                   enum dg_matrix_form form, enum dg_type type)
{
    int n_dims = dims_of(form), rank = tensor ? tensor->rank - n_dims : -1;
    bool transposed = form == DG_AS_ADJOINT;
    struct dg_storage storage;
    struct dg_tensor copy, from;

    if (rank < 0)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a matrix is missing, or has fewer than %d dimensions",
                            n_dims);
    *to = (struct dg_matrices){.call = call, .type = type, .rank = rank};
    memcpy(to->sizes, tensor->sizes, (size_t)rank * sizeof(*to->sizes));
    if (make_room(to, n_dims ? tensor->sizes[rank + transposed] : 1,
                  n_dims == 2 ? tensor->sizes[rank + !transposed] : 1))
        return call->err->status;
    from = *tensor;
    copy = dg_matrices_tensor(to, form, &storage);
    if (dg_tensor_count(&copy))
        dg_copy_elements(&copy, &from, call->context->n_threads);
    if (transposed)
        conjugate(to);
    dg_disturb(call, to->type, to->data, count_of(to), to->rows);
    return DG_OK;
}

enum dg_status dg_matrices_load(struct dg_matrices *to, struct dg_call *call,
                                const struct dg_tensor *tensor,
                                enum dg_matrix_form form)
{
    enum dg_type type = tensor ? dg_matrices_type(call, tensor) : DG_TYPE_F64;

    return type == DG_TYPE_NONE ? dg_call_fail(call, DG_ERR_DEVICE, "matrices of %s",
                                               dg_type_name(tensor->type))
                                : dg_matrices_load_as(to, call, tensor, form, type);
}

enum dg_status dg_matrices_load_pivots(struct dg_matrices *to, struct dg_call *call,
                                       const struct dg_tensor *tensor)
{
    return tensor && tensor->type != DG_TYPE_I32
               ? dg_call_fail(call, DG_ERR_FORMAT, "pivots are i32, not %s",
                              dg_type_name(tensor->type))
               : dg_matrices_load_as(to, call, tensor, DG_AS_COLUMN, DG_TYPE_I32);
}

enum dg_status dg_matrices_new(struct dg_matrices *to, const struct dg_matrices *like,
                               enum dg_type type, int64_t rows, int64_t columns)
{
    *to = *like;
    to->type = type;
    return make_room(to, rows, columns);
}

enum dg_status dg_matrices_give(const struct dg_matrices *from, size_t result,
                                enum dg_type type, enum dg_matrix_form form)
{
    struct dg_call *call = from->call;
    struct dg_storage storage;
    struct dg_tensor values = dg_matrices_tensor(from, form, &storage);
    struct dg_tensor *tensor = dg_result(call, result, type, values.rank, values.sizes);

    if (!tensor)
        return call->err->status;
    if (form == DG_AS_ADJOINT)
        conjugate(from);
    if (dg_tensor_count(tensor))
        dg_copy_elements(tensor, &values, call->context->n_threads);
    if (form == DG_AS_ADJOINT)
        conjugate(from);
    return DG_OK;
}

enum dg_status dg_matrices_give_none(struct dg_call *call, size_t result,
                                     enum dg_type type)
{
    int64_t none = 0;

    return dg_result(call, result, type, 1, &none) ? DG_OK : call->err->status;
}

enum dg_status dg_matrices_broadcast(struct dg_call *call,
                                     struct dg_tensor *const tensors[2],
                                     const enum dg_matrix_form forms[2],
                                     struct dg_tensor results[2])
{
    struct dg_tensor batches[2];
    int64_t sizes[DG_RANK_MOST + 2];
    int rank;

    for (int i = 0; i < 2; i++) {
        if (!tensors[i] || tensors[i]->rank < dims_of(forms[i]))
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "a matrix is missing, or has fewer than %d dimensions",
                                dims_of(forms[i]));
        batches[i] = dg_shaped(tensors[i], tensors[i]->rank - dims_of(forms[i]),
                               tensors[i]->sizes, tensors[i]->strides);
    }
    if (dg_broadcast(call, 2, (struct dg_tensor *[]){&batches[0], &batches[1]}, &rank,
                     sizes))
        return call->err->status;
    for (int i = 0; i < 2; i++) {
        int n_dims = dims_of(forms[i]);

        if (rank + n_dims > DG_RANK_MOST)
            return dg_call_fail(call, DG_ERR_DEVICE, "matrices of rank %d",
                                rank + n_dims);
        memcpy(sizes + rank, tensors[i]->sizes + tensors[i]->rank - n_dims,
               (size_t)n_dims * sizeof(*sizes));
        results[i] = dg_expanded(tensors[i], rank + n_dims, sizes);
    }
    return DG_OK;
}

enum dg_status dg_matrices_need_square(const struct dg_matrices *matrices)
{
    return matrices->rows == matrices->columns
               ? DG_OK
               : dg_call_fail(matrices->call, DG_ERR_FORMAT,
                              "matrices of %d by %d are not square", matrices->rows,
                              matrices->columns);
}

enum dg_status dg_matrices_need_fit(const struct dg_matrices *a,
                                    const struct dg_matrices *b)
{
    return a->rows == b->rows && a->type == b->type
               ? DG_OK
               : dg_call_fail(a->call, DG_ERR_FORMAT,
                              "%d equations of %s do not fit %d rows of %s", a->rows,
                              dg_type_name(a->type), b->rows, dg_type_name(b->type));
}

/* The first element that is not finite, or how many there are. */
static int64_t first_not_finite(const struct dg_matrices *matrices)
{
    int64_t count = count_of(matrices), i;
    size_t bytes = dg_type_bytes(matrices->type);
    double complex value;

    for (i = 0; i < count; i++) {
        dg_load_complex(&value, matrices->type, matrices->data + (size_t)i * bytes, 1,
                        1);
        if (!isfinite(creal(value)) || !isfinite(cimag(value)))
            break;
    }
    return i;
}

bool dg_matrices_are_finite(const struct dg_matrices *matrices)
{
    return first_not_finite(matrices) == count_of(matrices);
}

enum dg_status dg_matrices_need_finite(const struct dg_matrices *matrices)
{
    int64_t first = first_not_finite(matrices), n = count_of(matrices);

    return first == n ? DG_OK
                      : dg_call_fail(matrices->call, DG_ERR_FORMAT,
                                     "matrix %lld has an element that is not finite",
                                     (long long)(first / (n / matrices->n)));
}

int32_t *dg_integers_at(const struct dg_matrices *matrices, int64_t i)
{
    return (int32_t *)matrices->data + i * matrices->rows;
}

enum dg_status dg_lapack_says(struct dg_call *call, int info)
{
    return info >= 0 ? DG_OK
                     : dg_call_fail(call, DG_ERR_FORMAT,
                                    "LAPACK does not get the memory that it needs");
}

enum dg_status dg_matrices_need_success(const struct dg_matrices *info,
                                        const char *what)
{
    for (int64_t i = 0; i < info->n; i++) {
        int at = *dg_integers_at(info, i);

        if (at)
            return dg_call_fail(info->call,
                                info->call->context->precision == DG_PRECISION_OWN_SUMS
                                    ? DG_ERR_DEVICE
                                    : DG_ERR_FORMAT,
                                "matrix %lld is %s: see its diagonal up to element %d",
                                (long long)i, what, at);
    }
    return DG_OK;
}

struct dg_columns dg_matrix_at(const struct dg_matrices *matrices, int64_t i)
{
    int64_t each = (int64_t)matrices->rows * matrices->columns;

    return (struct dg_columns){matrices->type, matrices->rows, matrices->columns,
                               matrices->data +
                                   (size_t)(i * each) * dg_type_bytes(matrices->type)};
}

static char *element(struct dg_columns matrix, int row, int column)
{
    return (char *)matrix.data + ((size_t)column * (size_t)matrix.rows + (size_t)row) *
                                     dg_type_bytes(matrix.type);
}

double complex dg_matrix_get(struct dg_columns matrix, int row, int column)
{
    double complex value;

    dg_load_complex(&value, matrix.type, element(matrix, row, column), 1, 1);
    return value;
}

void dg_matrix_set(struct dg_columns matrix, int row, int column, double complex value)
{
    dg_store_complex(matrix.type, element(matrix, row, column), 1, &value, 1);
}

/* Whether one of the elements, or of their parts, is infinite or NaN. */
static bool has(struct dg_columns matrix, bool infinite, bool nan)
{
    for (int column = 0; column < matrix.columns; column++) {
        for (int row = 0; row < matrix.rows; row++) {
            double complex value = dg_matrix_get(matrix, row, column);

            if ((infinite && (isinf(creal(value)) || isinf(cimag(value)))) ||
                (nan && (isnan(creal(value)) || isnan(cimag(value)))))
                return true;
        }
    }
    return false;
}

bool dg_matrix_is_finite(struct dg_columns matrix)
{
    return !has(matrix, true, true);
}

bool dg_matrix_has_nan(struct dg_columns matrix)
{
    return has(matrix, false, true);
}

void dg_matrix_make_nan(struct dg_columns matrix)
{
    for (int column = 0; column < matrix.columns; column++) {
        for (int row = 0; row < matrix.rows; row++)
            dg_matrix_set(matrix, row, column, NAN);
    }
}

void dg_matrix_keep(struct dg_columns matrix, char side)
{
    size_t bytes = dg_type_bytes(matrix.type);

    for (int k = 0; k < matrix.columns; k++) {
        int first = side == 'U' ? k + 1 : 0;
        int end = side == 'U' ? matrix.rows : k < matrix.rows ? k : matrix.rows;

        if (first < end)
            memset(element(matrix, first, k), 0, (size_t)(end - first) * bytes);
    }
}

void dg_matrix_mirror(struct dg_columns matrix, char side)
{
    for (int k = 0; k < matrix.columns; k++) {
        for (int i = k + 1; i < matrix.rows; i++) {
            if (side == 'L')
                dg_matrix_set(matrix, k, i, conj(dg_matrix_get(matrix, i, k)));
            else
                dg_matrix_set(matrix, i, k, conj(dg_matrix_get(matrix, k, i)));
        }
    }
}
