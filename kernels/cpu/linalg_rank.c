/* What is left of matrices without singular values that are next to nothing: ranks and
 * pseudoinverses. */
#include <complex.h>
#include <math.h>

#include "kernels/cpu/complex.h"
#include "kernels/cpu/compose.h"
#include "kernels/cpu/linalg.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

/* What counts: more than `absolute`, and than `relative` times the largest value. */
struct cutoff {
    struct dg_matrices absolute, relative; /* f64 */
    bool has_relative;
    double otherwise; /* the relative one where none is given */
};

/* Where arguments are; -1: there is none. */
struct places {
    int absolute, relative, hermitian;
};

/* A tensor or a number as a tensor that broadcasts; `number` holds the latter. */
static const struct dg_tensor *as_tensor(const struct dg_call *call, int place,
                                         double *number, struct dg_tensor **owned)
{
    *owned = NULL;
    *number = 0;
    if (place < 0 || dg_arg_missing(call, (size_t)place))
        return NULL;
    *number = dg_arg_real(call, (size_t)place, 0);
    if (!dg_arg_tensor(call, (size_t)place))
        *owned = dg_tensor_over(DG_TYPE_F64, 0, NULL, number);
    return *owned ? *owned : dg_arg_tensor(call, (size_t)place);
}

/* `bound` by matrix of `wide`, which becomes as many as that asks for; 0: none. */
static enum dg_status widen(struct dg_tensor *wide, struct dg_call *call,
                            const struct dg_tensor *bound)
{
    struct dg_tensor both[2];
    enum dg_status status;

    if (!bound)
        return DG_OK;
    if (!dg_type_is_float(bound->type) && !dg_type_is_integer(bound->type))
        return dg_call_fail(call, DG_ERR_FORMAT, "a tolerance of %s",
                            dg_type_name(bound->type));
    status = dg_matrices_broadcast(
        call, (struct dg_tensor *[]){wide, (struct dg_tensor *)bound},
        (enum dg_matrix_form[]){DG_AS_MATRIX, DG_AS_NUMBER}, both);
    if (!status)
        *wide = both[0];
    return status;
}

static enum dg_status load_bound(struct dg_matrices *to, const struct dg_matrices *like,
                                 const struct dg_tensor *bound)
{
    struct dg_tensor wide;

    if (!bound)
        return dg_matrices_new(to, like, DG_TYPE_F64, 1, 1);
    wide = dg_expanded(bound, like->rank, like->sizes);
    return dg_matrices_load_as(to, like->call, &wide, DG_AS_NUMBER, DG_TYPE_F64);
}

/* Matrices, as many as bounds of them, and the bounds. */
static enum dg_status load(struct dg_matrices *matrices, struct cutoff *cutoff,
                           struct dg_call *call, const struct places *places)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *owned[2], wide;
    const struct dg_tensor *bounds[2];
    double numbers[2];
    enum dg_status status;

    if (!self)
        return call->err->status;
    wide = *self;
    bounds[0] = as_tensor(call, places->absolute, &numbers[0], &owned[0]);
    bounds[1] = as_tensor(call, places->relative, &numbers[1], &owned[1]);
    status = widen(&wide, call, bounds[0]);
    if (!status)
        status = widen(&wide, call, bounds[1]);
    if (!status)
        status = dg_matrices_load(matrices, call, &wide, DG_AS_MATRIX);
    if (!status)
        status = load_bound(&cutoff->absolute, matrices, bounds[0]);
    if (!status)
        status = load_bound(&cutoff->relative, matrices, bounds[1]);
    cutoff->has_relative = bounds[1] != NULL;
    if (!status)
        cutoff->otherwise =
            dg_epsilon(call, self->type) *
            (matrices->rows > matrices->columns ? matrices->rows : matrices->columns);
    dg_tensor_drop(owned[0]);
    dg_tensor_drop(owned[1]);
    return status;
}

static double largest(struct dg_columns values)
{
    double most = 0;

    for (int k = 0; k < values.rows; k++)
        most = fmax(most, fabs(creal(dg_matrix_get(values, k, 0))));
    return most;
}

/* What values of matrix `i` must be above; NaN, which nothing is, where a bound is. */
static double bound_of(const struct cutoff *cutoff, const struct dg_matrices *values,
                       int64_t i)
{
    double absolute = ((const double *)cutoff->absolute.data)[i];
    double relative = cutoff->has_relative ? ((const double *)cutoff->relative.data)[i]
                      : absolute > 0       ? 0
                                           : cutoff->otherwise;

    relative *= largest(dg_matrix_at(values, i));
    return isnan(absolute) || isnan(relative) ? NAN : fmax(absolute, relative);
}

static bool is_hermitian(const struct dg_call *call, const struct places *places)
{
    return places->hermitian >= 0 &&
           dg_arg_bool(call, (size_t)places->hermitian, false);
}

static enum dg_status rank(struct dg_call *call, struct places places)
{
    struct dg_matrices matrices, values, ranks;
    struct cutoff cutoff;
    enum dg_status status = load(&matrices, &cutoff, call, &places);

    if (!status)
        status = is_hermitian(call, &places)
                     ? dg_eigen_values(&matrices, 'L', false, &values)
                     : dg_singular_values(&matrices, 'N', NULL, &values, NULL);
    if (!status)
        status = dg_matrices_new(&ranks, &matrices, DG_TYPE_I32, 1, 1);
    for (int64_t i = 0; !status && i < matrices.n; i++) {
        double least = bound_of(&cutoff, &values, i);

        for (int k = 0; k < values.rows; k++)
            *dg_integers_at(&ranks, i) +=
                fabs(creal(dg_matrix_get(dg_matrix_at(&values, i), k, 0))) > least;
    }
    return status ? status : dg_matrices_give(&ranks, 0, DG_TYPE_I64, DG_AS_NUMBER);
}

enum dg_status dg_cpu_matrix_rank(struct dg_call *call)
{
    return rank(call, (struct places){1, 2, 3});
}

/* torch takes the one bound for an absolute one, and no other beside it. */
enum dg_status dg_cpu_matrix_rank_tol(struct dg_call *call)
{
    return rank(call, (struct places){1, -1, 2});
}

/* The adjoints of `from`. */
static enum dg_status adjoints(struct dg_matrices *to, const struct dg_matrices *from)
{
    enum dg_status status =
        dg_matrices_new(to, from, from->type, from->columns, from->rows);

    for (int64_t i = 0; !status && i < from->n && from->rows; i++) {
        for (int column = 0; column < from->columns; column++) {
            for (int row = 0; row < from->rows; row++)
                dg_matrix_set(dg_matrix_at(to, i), column, row,
                              conj(dg_matrix_get(dg_matrix_at(from, i), row, column)));
        }
    }
    return status;
}

/* U, S and V^H of matrices, by eigenvalues where they are Hermitian: then S may be
 * negative. */
static enum dg_status decompose(const struct dg_matrices *matrices, bool hermitian,
                                struct dg_matrices *u, struct dg_matrices *values,
                                struct dg_matrices *vh)
{
    enum dg_status status = dg_matrices_need_finite(matrices);

    if (status)
        return status;
    if (!hermitian)
        return dg_singular_values(matrices, 'S', u, values, vh);
    status = dg_eigen_values(matrices, 'L', true, values);
    *u = *matrices;
    return status ? status : adjoints(vh, u);
}

/* Conjugates of V^H, each row divided by its value, or 0; and conjugates of U. */
static void divide(const struct cutoff *cutoff, const struct dg_matrices *u,
                   const struct dg_matrices *values, const struct dg_matrices *vh,
                   int64_t i)
{
    double least = bound_of(cutoff, values, i);
    struct dg_columns left = dg_matrix_at(u, i), right = dg_matrix_at(vh, i);

    for (int k = 0; k < values->rows; k++) {
        double value = creal(dg_matrix_get(dg_matrix_at(values, i), k, 0));
        double factor = fabs(value) > least ? 1 / value : 0;

        for (int column = 0; column < right.columns; column++)
            dg_matrix_set(right, k, column,
                          conj(dg_matrix_get(right, k, column)) * factor);
        for (int row = 0; row < left.rows; row++)
            dg_matrix_set(left, row, k, conj(dg_matrix_get(left, row, k)));
    }
}

/* V S^-1 U^H, of which the first and last are only transposed any more. */
static enum dg_status give_product(struct dg_call *call, const struct dg_matrices *vh,
                                   const struct dg_matrices *u, enum dg_type type)
{
    struct dg_storage storages[2];
    struct dg_tensor right = dg_matrices_tensor(vh, DG_AS_ADJOINT, &storages[0]);
    struct dg_tensor left = dg_matrices_tensor(u, DG_AS_ADJOINT, &storages[1]);
    struct dg_tensor *product, *result;
    enum dg_status status = dg_complex_run(
        call, dg_type_is_complex(type) ? dg_complex_matmul : dg_cpu_matmul,
        (struct dg_arg[]){dg_tensor_arg(&right), dg_tensor_arg(&left)}, 2, &product);

    if (status)
        return status;
    result = dg_result(call, 0, type, product->rank, product->sizes);
    if (result && dg_tensor_count(result))
        dg_copy_elements(result, product, call->context->n_threads);
    dg_tensor_drop(product);
    return result ? DG_OK : call->err->status;
}

static enum dg_status pseudoinverse(struct dg_call *call, struct places places)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_matrices matrices, u, values, vh;
    struct cutoff cutoff;
    enum dg_status status;

    /* Bounds of no elements broadcast nothing. */
    if (self && self->rank > 1 && !dg_tensor_count(self))
        places.absolute = places.relative = -1;
    status = load(&matrices, &cutoff, call, &places);
    if (!status)
        status = decompose(&matrices, is_hermitian(call, &places), &u, &values, &vh);
    for (int64_t i = 0; !status && i < matrices.n && values.rows; i++)
        divide(&cutoff, &u, &values, &vh, i);
    return status ? status : give_product(call, &vh, &u, self->type);
}

enum dg_status dg_cpu_pinv(struct dg_call *call)
{
    return pseudoinverse(call, (struct places){1, 2, 3});
}

enum dg_status dg_cpu_pinv_rcond(struct dg_call *call)
{
    return pseudoinverse(call, (struct places){-1, 1, 2});
}

/* Of the same bound, without a word about Hermitian matrices. */
enum dg_status dg_cpu_pinverse(struct dg_call *call)
{
    return pseudoinverse(call, (struct places){-1, 1, -1});
}
