/* LU factors of matrices, and solving with them. */
#include <complex.h>
#include <float.h>
#include <math.h>

#include "kernels/cpu/linalg.h"
#include "kernels/cpu/movement.h"

enum dg_status dg_lu_factor(struct dg_lu *factors, struct dg_call *call,
                            const struct dg_tensor *tensor, enum dg_matrix_form form)
{
    struct dg_matrices *lu = &factors->lu;
    enum dg_status status = dg_matrices_load(lu, call, tensor, form);

    factors->of_adjoint = form == DG_AS_ADJOINT;
    if (!status)
        status = dg_matrices_new(&factors->pivots, lu, DG_TYPE_I32,
                                 dg_lesser(lu->rows, lu->columns), 1);
    if (!status)
        status = dg_matrices_new(&factors->info, lu, DG_TYPE_I32, 1, 1);
    if (!status)
        status = dg_lapack_load(call);
    for (int64_t i = 0; !status && i < lu->n && factors->pivots.rows; i++) {
        int *info = dg_integers_at(&factors->info, i);

        *info = dg_lapack_lu(dg_matrix_at(lu, i), dg_integers_at(&factors->pivots, i));
        status = dg_lapack_says(call, *info);
    }
    return status;
}

enum dg_status dg_lu_need_regular(const struct dg_lu *factors)
{
    return dg_matrices_need_success(&factors->info, "singular");
}

/* Whether a pivot is no more than f32 may leave of the terms that it is the sum of:
 * then its sign and size are chance. A true 0 is one for others, too. */
static bool has_lost_pivot(struct dg_columns lu)
{
    double share = 16 * sqrt((double)lu.rows) * (double)FLT_EPSILON;

    for (int k = 0; k < dg_lesser(lu.rows, lu.columns); k++) {
        double pivot = cabs(dg_matrix_get(lu, k, k)), terms = pivot;

        for (int i = 0; i < k; i++)
            terms += cabs(dg_matrix_get(lu, k, i)) * cabs(dg_matrix_get(lu, i, k));
        if (pivot > 0 && pivot < share * terms)
            return true;
    }
    return false;
}

enum dg_status dg_lu_need_certain(const struct dg_lu *factors, enum dg_type type)
{
    struct dg_call *call = factors->lu.call;
    bool narrow = dg_type_part(type) == DG_TYPE_F32;

    if (!narrow || call->context->precision != DG_PRECISION_EXACT_SUMS)
        return DG_OK;
    for (int64_t i = 0; i < factors->lu.n && factors->lu.rows; i++) {
        if (has_lost_pivot(dg_matrix_at(&factors->lu, i)))
            return dg_call_fail(call, DG_ERR_DEVICE,
                                "matrix %lld is singular but for rounding, which "
                                "decides what this gives",
                                (long long)i);
    }
    return DG_OK;
}

enum dg_status dg_lu_solve(const struct dg_lu *factors, bool adjoint,
                           const struct dg_matrices *b)
{
    enum dg_status status = dg_matrices_need_fit(&factors->lu, b);
    char way = adjoint == factors->of_adjoint ? 'N' : 'C';

    for (int64_t i = 0; !status && i < b->n && b->rows && b->columns; i++)
        status = dg_lapack_says(b->call,
                                dg_lapack_lu_solve(dg_matrix_at(&factors->lu, i),
                                                   dg_integers_at(&factors->pivots, i),
                                                   way, dg_matrix_at(b, i)));
    return status;
}

enum dg_status dg_lu_invert(const struct dg_lu *factors, struct dg_matrices *inverse)
{
    const struct dg_matrices *lu = &factors->lu;
    enum dg_status status =
        dg_matrices_new(inverse, lu, lu->type, lu->rows, lu->columns);

    for (int64_t i = 0; !status && i < lu->n && lu->rows; i++) {
        for (int k = 0; k < lu->rows; k++)
            dg_matrix_set(dg_matrix_at(inverse, i), k, k, 1);
    }
    return status ? status : dg_lu_solve(factors, false, inverse);
}

/* Argument 0, factored; argument 1 says whether rows are exchanged. */
static enum dg_status factor_argument(struct dg_lu *factors, struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    enum dg_status status =
        self ? dg_lu_factor(factors, call, self, DG_AS_MATRIX) : call->err->status;

    if (!status && !dg_arg_bool(call, 1, true))
        status = dg_call_fail(call, DG_ERR_DEVICE, "LU factors without pivots");
    return status;
}

/* LU, pivots and, where that is a result, info. */
static enum dg_status factor(struct dg_call *call, bool checks)
{
    struct dg_lu factors;
    enum dg_status status = factor_argument(&factors, call);

    if (!status && checks)
        status = dg_lu_need_regular(&factors);
    if (!status)
        status = dg_matrices_give(&factors.lu, 0, dg_arg_tensor(call, 0)->type,
                                  DG_AS_MATRIX);
    if (!status)
        status = dg_matrices_give(&factors.pivots, 1, DG_TYPE_I32, DG_AS_COLUMN);
    if (!status && call->n_results > 2)
        status = dg_matrices_give(&factors.info, 2, DG_TYPE_I32, DG_AS_NUMBER);
    return status;
}

enum dg_status dg_cpu_lu_factor(struct dg_call *call)
{
    return factor(call, true);
}

enum dg_status dg_cpu_lu_factor_ex(struct dg_call *call)
{
    return factor(call, dg_arg_bool(call, 2, false));
}

enum dg_status dg_cpu_lu_with_info(struct dg_call *call)
{
    return factor(call, dg_arg_bool(call, 2, true));
}

/* Whether all are of rows 1 to `rows`: LAPACK takes them at their word. */
static enum dg_status check_pivots(const struct dg_matrices *pivots, int rows)
{
    const int32_t *all = (const int32_t *)pivots->data;

    for (int64_t i = 0; i < pivots->n * pivots->rows; i++) {
        if (all[i] < 1 || all[i] > rows)
            return dg_call_fail(pivots->call, DG_ERR_FORMAT,
                                "a pivot of row %d in matrices of %d rows", all[i],
                                rows);
    }
    return DG_OK;
}

/* Factors that are arguments. */
static enum dg_status load_factors(struct dg_lu *factors, struct dg_call *call,
                                   const struct dg_tensor *lu,
                                   const struct dg_tensor *pivots)
{
    enum dg_status status = dg_matrices_load(&factors->lu, call, lu, DG_AS_MATRIX);

    if (!status)
        status = dg_matrices_load_pivots(&factors->pivots, call, pivots);
    if (status)
        return status;
    factors->of_adjoint = false;
    if (factors->pivots.n != factors->lu.n ||
        factors->pivots.rows != dg_lesser(factors->lu.rows, factors->lu.columns))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld columns of %d pivots do not fit %lld factors of "
                            "%d by %d",
                            (long long)factors->pivots.n, factors->pivots.rows,
                            (long long)factors->lu.n, factors->lu.rows,
                            factors->lu.columns);
    return check_pivots(&factors->pivots, factors->lu.rows);
}

/* The dimensions before those of the matrices broadcast. */
static enum dg_status solve(struct dg_call *call, struct dg_tensor *lu,
                            struct dg_tensor *pivots, struct dg_tensor *b, bool left,
                            bool adjoint)
{
    enum dg_matrix_form form = left ? DG_AS_MATRIX : DG_AS_ADJOINT;
    struct dg_tensor with_b[2], with_pivots[2];
    struct dg_lu factors;
    struct dg_matrices x;
    enum dg_status status =
        dg_matrices_broadcast(call, (struct dg_tensor *[]){lu, b},
                              (enum dg_matrix_form[]){DG_AS_MATRIX, form}, with_b);

    if (!status)
        status = dg_matrices_broadcast(
            call, (struct dg_tensor *[]){pivots, &with_b[0]},
            (enum dg_matrix_form[]){DG_AS_COLUMN, DG_AS_MATRIX}, with_pivots);
    if (!status)
        status = load_factors(&factors, call, &with_b[0], &with_pivots[0]);
    if (!status)
        status = dg_matrices_need_square(&factors.lu);
    if (!status)
        status = dg_matrices_load(&x, call, &with_b[1], form);
    if (!status)
        status = dg_lapack_load(call);
    if (!status)
        status = dg_lu_solve(&factors, adjoint == left, &x);
    return status ? status : dg_matrices_give(&x, 0, b->type, form);
}

enum dg_status dg_cpu_linalg_lu_solve(struct dg_call *call)
{
    return solve(call, dg_arg_tensor(call, 0), dg_arg_tensor(call, 1),
                 dg_arg_tensor(call, 2), dg_arg_bool(call, 3, true),
                 dg_arg_bool(call, 4, false));
}

enum dg_status dg_cpu_lu_solve(struct dg_call *call)
{
    return solve(call, dg_arg_tensor(call, 1), dg_arg_tensor(call, 2),
                 dg_arg_tensor(call, 0), true, false);
}

/* P: row `pivots[i]` changed places with row i, one after the other. */
static enum dg_status give_permutation(const struct dg_lu *factors, enum dg_type type)
{
    struct dg_matrices p, order;
    int rows = factors->lu.rows;
    enum dg_status status =
        dg_matrices_new(&p, &factors->lu, factors->lu.type, rows, rows);

    if (!status)
        status = dg_matrices_new(&order, &factors->lu, DG_TYPE_I32, rows, 1);
    for (int64_t i = 0; !status && i < p.n && rows; i++) {
        const int32_t *pivots = dg_integers_at(&factors->pivots, i);
        int32_t *row = dg_integers_at(&order, i);

        for (int k = 0; k < rows; k++)
            row[k] = k;
        for (int k = 0; k < factors->pivots.rows; k++) {
            int32_t other = row[pivots[k] - 1];

            row[pivots[k] - 1] = row[k];
            row[k] = other;
        }
        for (int k = 0; k < rows; k++)
            dg_matrix_set(dg_matrix_at(&p, i), row[k], k, 1);
    }
    return status ? status : dg_matrices_give(&p, 0, type, DG_AS_MATRIX);
}

/* L ('L', with ones on its diagonal) or U, of as many columns or rows as the lesser
 * size. */
static enum dg_status give_triangle(const struct dg_lu *factors, char side,
                                    size_t result, enum dg_type type)
{
    const struct dg_matrices *lu = &factors->lu;
    int n = dg_lesser(lu->rows, lu->columns);
    int rows = side == 'L' ? lu->rows : n, columns = side == 'U' ? lu->columns : n;
    struct dg_matrices triangle;
    enum dg_status status = dg_matrices_new(&triangle, lu, lu->type, rows, columns);

    for (int64_t i = 0; !status && i < lu->n && n; i++) {
        struct dg_columns to = dg_matrix_at(&triangle, i);
        struct dg_columns from = dg_matrix_at(lu, i);

        for (int column = 0; column < columns; column++) {
            for (int row = 0; row < rows; row++)
                dg_matrix_set(to, row, column, dg_matrix_get(from, row, column));
        }
        dg_matrix_keep(to, side);
        for (int k = 0; k < n && side == 'L'; k++)
            dg_matrix_set(to, k, k, 1);
    }
    return status ? status : dg_matrices_give(&triangle, result, type, DG_AS_MATRIX);
}

static enum dg_status give_parts(const struct dg_lu *factors, enum dg_type type,
                                 bool data, bool pivots)
{
    struct dg_call *call = factors->lu.call;
    enum dg_status status =
        pivots ? give_permutation(factors, type) : dg_matrices_give_none(call, 0, type);

    if (!status)
        status = data ? give_triangle(factors, 'L', 1, type)
                      : dg_matrices_give_none(call, 1, type);
    if (!status)
        status = data ? give_triangle(factors, 'U', 2, type)
                      : dg_matrices_give_none(call, 2, type);
    return status;
}

enum dg_status dg_cpu_lu_unpack(struct dg_call *call)
{
    struct dg_tensor *data = dg_need_tensor(call, 0);
    struct dg_lu factors;
    enum dg_status status =
        data ? load_factors(&factors, call, data, dg_arg_tensor(call, 1))
             : call->err->status;

    return status ? status
                  : give_parts(&factors, data->type, dg_arg_bool(call, 2, true),
                               dg_arg_bool(call, 3, true));
}

enum dg_status dg_cpu_linalg_lu(struct dg_call *call)
{
    struct dg_lu factors;
    enum dg_status status = factor_argument(&factors, call);

    return status ? status
                  : give_parts(&factors, dg_arg_tensor(call, 0)->type, true, true);
}
