/* Norms of matrices, and condition numbers. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "kernels/cpu/linalg.h"
#include "kernels/cpu/movement.h"

enum order {
    FROBENIUS,
    NUCLEAR,     /* the sum of the singular values */
    VALUE_MOST,  /* the largest of them: order 2 */
    VALUE_LEAST, /* -2 */
    COLUMN_MOST, /* the largest sum of a column: 1 */
    COLUMN_LEAST,
    ROW_MOST, /* infinity */
    ROW_LEAST,
};

static const struct {
    const char *name; /* NULL: a number */
    double number;
    enum order order;
} orders[] = {
    {"fro", 0, FROBENIUS},      {"nuc", 0, NUCLEAR},          {NULL, 2, VALUE_MOST},
    {NULL, -2, VALUE_LEAST},    {NULL, 1, COLUMN_MOST},       {NULL, -1, COLUMN_LEAST},
    {NULL, INFINITY, ROW_MOST}, {NULL, -INFINITY, ROW_LEAST},
};

static enum dg_status read_order(enum order *order, struct dg_call *call, size_t i)
{
    bool is_name = i < call->n_args && call->args[i].kind == DG_ARG_STRING;
    const char *name = is_name ? call->args[i].as.string : NULL;
    double number = dg_arg_real(call, i, NAN);

    for (size_t k = 0; k < sizeof(orders) / sizeof(*orders); k++) {
        if (name && orders[k].name
                ? !strcmp(name, orders[k].name)
                : !name && !orders[k].name && number == orders[k].number) {
            *order = orders[k].order;
            return DG_OK;
        }
    }
    return name ? dg_call_fail(call, DG_ERR_FORMAT,
                               "no norm of matrices is named "
                               "\"%.40s\"",
                               name)
                : dg_call_fail(call, DG_ERR_FORMAT, "no norm of matrices has order %g",
                               number);
}

/* NaN is both the largest and the least. */
static double more(double a, double b, bool least)
{
    return isnan(a) || isnan(b) ? NAN : least ? fmin(a, b) : fmax(a, b);
}

/* The largest or least sum of a row or column. */
static double of_lines(struct dg_columns matrix, enum order order)
{
    bool by_column = order == COLUMN_MOST || order == COLUMN_LEAST;
    bool least = order == COLUMN_LEAST || order == ROW_LEAST;
    int n = by_column ? matrix.columns : matrix.rows;
    int length = by_column ? matrix.rows : matrix.columns;
    double most = least ? INFINITY : 0;

    for (int i = 0; i < n; i++) {
        double sum = 0;

        for (int k = 0; k < length; k++)
            sum += cabs(by_column ? dg_matrix_get(matrix, k, i)
                                  : dg_matrix_get(matrix, i, k));
        most = more(most, sum, least);
    }
    return most;
}

static double of_all(struct dg_columns matrix)
{
    double sum = 0;

    for (int column = 0; column < matrix.columns; column++) {
        for (int row = 0; row < matrix.rows; row++) {
            double size = cabs(dg_matrix_get(matrix, row, column));

            sum += size * size;
        }
    }
    return sqrt(sum);
}

static bool is_of_values(enum order order)
{
    return order == NUCLEAR || order == VALUE_MOST || order == VALUE_LEAST;
}

/* Of singular values, the largest first. */
static double of_values(struct dg_columns values, enum order order)
{
    double sum = 0;

    if (order != NUCLEAR && values.rows)
        return creal(
            dg_matrix_get(values, order == VALUE_MOST ? 0 : values.rows - 1, 0));
    for (int i = 0; i < values.rows; i++)
        sum += creal(dg_matrix_get(values, i, 0));
    return sum;
}

/* The largest of nothing is 0, the least of nothing is none. */
static enum dg_status check_sizes(const struct dg_matrices *matrices, enum order order)
{
    bool exists = matrices->columns ? order != VALUE_LEAST || matrices->rows
                                    : order != VALUE_LEAST && order != COLUMN_LEAST;

    return exists && (matrices->rows || order != ROW_LEAST)
               ? DG_OK
               : dg_call_fail(matrices->call, DG_ERR_FORMAT,
                              "matrices of %d by %d have no such norm", matrices->rows,
                              matrices->columns);
}

/* By matrix; singular values use the matrices up. */
static enum dg_status norms(struct dg_matrices *result,
                            const struct dg_matrices *matrices, enum order order)
{
    bool by_values = is_of_values(order);
    struct dg_matrices values;
    enum dg_status status = check_sizes(matrices, order);

    if (!status)
        status = dg_matrices_new(result, matrices, dg_type_part(matrices->type), 1, 1);
    if (!status && by_values)
        status = dg_singular_values(matrices, 'N', NULL, &values, NULL);
    for (int64_t i = 0; !status && i < matrices->n; i++) {
        struct dg_columns matrix = dg_matrix_at(matrices, i);
        double norm = order == FROBENIUS ? of_all(matrix)
                      : by_values        ? of_values(dg_matrix_at(&values, i), order)
                                         : of_lines(matrix, order);

        dg_matrix_set(dg_matrix_at(result, i), 0, 0, norm);
    }
    return status;
}

/* The dimensions of a norm: where they came from, and the tensor with them last. */
struct norm_dims {
    int dims[2];
    struct dg_tensor tensor;
};

static enum dg_status turn_dims(struct norm_dims *turned, struct dg_call *call,
                                const struct dg_tensor *self, const int64_t *dims)
{
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
    int n = 0;

    for (int i = 0; i < 2; i++) {
        if (!dg_dimension(call, dims[i], self->rank, &turned->dims[i]))
            return call->err->status;
    }
    if (turned->dims[0] == turned->dims[1])
        return dg_call_fail(call, DG_ERR_FORMAT, "dimension %d appears twice",
                            turned->dims[0]);
    for (int i = 0; i < self->rank + 2; i++) {
        int dim = i < self->rank ? i : turned->dims[i - self->rank];

        if (i < self->rank && (dim == turned->dims[0] || dim == turned->dims[1]))
            continue;
        sizes[n] = self->sizes[dim];
        strides[n++] = self->strides[dim];
    }
    turned->tensor = dg_shaped(self, n, sizes, strides);
    return DG_OK;
}

/* What is kept of the dimensions has size 1. */
static void keep_dims(struct dg_matrices *result, const struct norm_dims *turned)
{
    int64_t sizes[DG_RANK_MOST];
    int rank = result->rank + 2, from = 0;

    for (int dim = 0; dim < rank; dim++)
        sizes[dim] = dim == turned->dims[0] || dim == turned->dims[1]
                         ? 1
                         : result->sizes[from++];
    memcpy(result->sizes, sizes, (size_t)rank * sizeof(*sizes));
    result->rank = rank;
}

/* Of sums torch has norms of 16 bits, too. */
static enum dg_status load(struct dg_matrices *matrices, struct dg_call *call,
                           const struct dg_tensor *tensor, enum order order)
{
    bool is_half = tensor->type == DG_TYPE_F16 || tensor->type == DG_TYPE_BF16;
    bool in_f32 = call->context->precision == DG_PRECISION_OWN_SUMS;

    return is_half && !is_of_values(order)
               ? dg_matrices_load_as(matrices, call, tensor, DG_AS_MATRIX,
                                     in_f32 ? DG_TYPE_F32 : DG_TYPE_F64)
               : dg_matrices_load(matrices, call, tensor, DG_AS_MATRIX);
}

static enum dg_status norm(struct dg_call *call, enum order order, const int64_t *dims,
                           bool keeps, enum dg_type dtype)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct norm_dims turned;
    struct dg_matrices matrices, result;
    enum dg_type type;
    enum dg_status status =
        self ? turn_dims(&turned, call, self, dims) : call->err->status;

    if (status)
        return status;
    type = dtype == DG_TYPE_NONE ? self->type : dtype;
    if (!dg_type_is_float(dg_type_part(type)))
        return dg_call_fail(call, DG_ERR_FORMAT, "norms of %s", dg_type_name(type));
    status = load(&matrices, call, &turned.tensor, order);
    if (!status)
        status = norms(&result, &matrices, order);
    if (!status && keeps)
        keep_dims(&result, &turned);
    return status ? status
                  : dg_matrices_give(&result, 0, dg_type_part(type), DG_AS_NUMBER);
}

static const int64_t last_dims[] = {-2, -1};

/* self, ord, dim, keepdim, dtype; without dimensions they are the last two. */
enum dg_status dg_cpu_matrix_norm(struct dg_call *call)
{
    int64_t dims[DG_RANK_MOST];
    enum order order = FROBENIUS;
    int n = dg_arg_ints(call, 2, dims, DG_RANK_MOST);

    if (n < 0 || (!dg_arg_missing(call, 1) && read_order(&order, call, 1)))
        return call->err->status;
    if (n && n != 2)
        return dg_call_fail(call, DG_ERR_FORMAT, "matrices of %d dimensions", n);
    return norm(call, order, n ? dims : last_dims, dg_arg_bool(call, 3, false),
                dg_arg_type(call, 4, DG_TYPE_NONE));
}

enum dg_status dg_cpu_nuclear_norm(struct dg_call *call)
{
    return norm(call, NUCLEAR, last_dims, dg_arg_bool(call, 1, false), DG_TYPE_NONE);
}

enum dg_status dg_cpu_nuclear_norm_dims(struct dg_call *call)
{
    int64_t dims[DG_RANK_MOST];
    int n = dg_arg_ints(call, 1, dims, DG_RANK_MOST);

    if (n != 2)
        return dg_call_fail(call, DG_ERR_FORMAT, "matrices of %d dimensions", n);
    return norm(call, NUCLEAR, dims, dg_arg_bool(call, 2, false), DG_TYPE_NONE);
}

/* Largest by least singular value, or the other way round. */
static enum dg_status ratios(struct dg_matrices *result,
                             const struct dg_matrices *matrices, bool inverse)
{
    struct dg_matrices values;
    enum dg_status status = dg_singular_values(matrices, 'N', NULL, &values, NULL);

    if (!status)
        status = dg_matrices_new(result, &values, values.type, 1, 1);
    for (int64_t i = 0; !status && i < values.n && values.rows; i++) {
        double most = of_values(dg_matrix_at(&values, i), VALUE_MOST);
        double least = of_values(dg_matrix_at(&values, i), VALUE_LEAST);

        dg_matrix_set(dg_matrix_at(result, i), 0, 0,
                      inverse ? least / most : most / least);
    }
    return status;
}

/* The norm of a matrix times that of its inverse; of singular ones infinity. */
static enum dg_status products(struct dg_matrices *result, struct dg_call *call,
                               const struct dg_tensor *self, enum order order)
{
    struct dg_matrices matrices, inverse, others;
    struct dg_lu factors;
    enum dg_status status = dg_lu_factor(&factors, call, self, DG_AS_MATRIX);

    if (!status)
        status = dg_matrices_need_square(&factors.lu);
    if (!status)
        status = dg_lu_invert(&factors, &inverse);
    if (!status)
        status = dg_matrices_load(&matrices, call, self, DG_AS_MATRIX);
    for (int64_t i = 0; !status && i < inverse.n; i++) {
        /* Norms by singular values take finite elements only. */
        if (*dg_integers_at(&factors.info, i))
            memset(dg_matrix_at(&inverse, i).data, 0,
                   (size_t)inverse.rows * (size_t)inverse.columns *
                       dg_type_bytes(inverse.type));
    }
    if (!status)
        status = norms(result, &matrices, order);
    if (!status)
        status = norms(&others, &inverse, order);
    for (int64_t i = 0; !status && i < result->n; i++) {
        struct dg_columns one = dg_matrix_at(result, i);
        double complex other = dg_matrix_get(dg_matrix_at(&others, i), 0, 0);

        dg_matrix_set(one, 0, 0,
                      *dg_integers_at(&factors.info, i)
                          ? INFINITY
                          : dg_matrix_get(one, 0, 0) * other);
    }
    return status;
}

enum dg_status dg_cpu_linalg_cond(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    enum order order = VALUE_MOST;
    struct dg_matrices matrices, result;
    enum dg_status status = self ? DG_OK : call->err->status;

    if (!status && !dg_arg_missing(call, 1))
        status = read_order(&order, call, 1);
    if (!status)
        status = dg_matrices_load(&matrices, call, self, DG_AS_MATRIX);
    if (status)
        return status;
    if (!matrices.rows || !matrices.columns)
        status = dg_matrices_new(&result, &matrices, dg_type_part(matrices.type), 1, 1);
    else if (order == VALUE_MOST || order == VALUE_LEAST)
        status = ratios(&result, &matrices, order == VALUE_LEAST);
    else
        status = products(&result, call, self, order);
    return status
               ? status
               : dg_matrices_give(&result, 0, dg_type_part(self->type), DG_AS_NUMBER);
}
