/* Cholesky factors, and LDL factors of matrices that are not definite. */
#include "kernels/cpu/linalg.h"
#include "kernels/cpu/movement.h"

static enum dg_status load_square(struct dg_matrices *matrices, struct dg_call *call,
                                  const struct dg_tensor *tensor)
{
    enum dg_status status = dg_matrices_load(matrices, call, tensor, DG_AS_MATRIX);

    return status ? status : dg_matrices_need_square(matrices);
}

static enum dg_status factor(struct dg_call *call, bool upper, bool checks)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_matrices matrices, info;
    char side = upper ? 'U' : 'L';
    enum dg_status status =
        self ? load_square(&matrices, call, self) : call->err->status;

    if (!status)
        status = dg_matrices_new(&info, &matrices, DG_TYPE_I32, 1, 1);
    if (!status)
        status = dg_lapack_load(call);
    for (int64_t i = 0; !status && i < matrices.n && matrices.rows; i++) {
        struct dg_columns matrix = dg_matrix_at(&matrices, i);

        dg_matrix_keep(matrix, side);
        *dg_integers_at(&info, i) = dg_lapack_cholesky(matrix, side);
        status = dg_lapack_says(call, *dg_integers_at(&info, i));
    }
    if (!status && checks)
        status = dg_matrices_need_success(&info, "not positive definite");
    if (!status)
        status = dg_matrices_give(&matrices, 0, self->type, DG_AS_MATRIX);
    if (!status && call->n_results > 1)
        status = dg_matrices_give(&info, 1, DG_TYPE_I32, DG_AS_NUMBER);
    return status;
}

enum dg_status dg_cpu_cholesky(struct dg_call *call)
{
    return factor(call, dg_arg_bool(call, 1, false), true);
}

enum dg_status dg_cpu_cholesky_ex(struct dg_call *call)
{
    return factor(call, dg_arg_bool(call, 1, false), dg_arg_bool(call, 2, false));
}

enum dg_status dg_cpu_cholesky_solve(struct dg_call *call)
{
    struct dg_tensor *b = dg_need_tensor(call, 0);
    char side = dg_arg_bool(call, 2, false) ? 'U' : 'L';
    struct dg_tensor wide[2];
    struct dg_matrices factors, x;
    enum dg_status status = dg_matrices_broadcast(
        call, (struct dg_tensor *[]){dg_arg_tensor(call, 1), b},
        (enum dg_matrix_form[]){DG_AS_MATRIX, DG_AS_MATRIX}, wide);

    if (!status)
        status = load_square(&factors, call, &wide[0]);
    if (!status)
        status = dg_matrices_load(&x, call, &wide[1], DG_AS_MATRIX);
    if (!status)
        status = dg_matrices_need_fit(&factors, &x);
    if (!status)
        status = dg_lapack_load(call);
    for (int64_t i = 0; !status && i < x.n && x.rows && x.columns; i++)
        status =
            dg_lapack_says(call, dg_lapack_cholesky_solve(dg_matrix_at(&factors, i),
                                                          side, dg_matrix_at(&x, i)));
    return status ? status : dg_matrices_give(&x, 0, b->type, DG_AS_MATRIX);
}

/* The inverse of the matrix that the factor is of. */
enum dg_status dg_cpu_cholesky_inverse(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    char side = dg_arg_bool(call, 1, false) ? 'U' : 'L';
    struct dg_matrices matrices;
    enum dg_status status =
        self ? load_square(&matrices, call, self) : call->err->status;

    if (!status)
        status = dg_lapack_load(call);
    for (int64_t i = 0; !status && i < matrices.n && matrices.rows; i++) {
        struct dg_columns matrix = dg_matrix_at(&matrices, i);
        int info = dg_lapack_cholesky_invert(matrix, side);

        status = dg_lapack_says(call, info);
        if (info > 0)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "element %d of the diagonal of factor %lld is 0", info,
                                (long long)i);
        dg_matrix_mirror(matrix, side);
    }
    return status ? status : dg_matrices_give(&matrices, 0, self->type, DG_AS_MATRIX);
}

static enum dg_status factor_ldl(struct dg_call *call, bool checks)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    bool hermitian = dg_arg_bool(call, 1, false);
    struct dg_matrices matrices, pivots, info;
    enum dg_status status =
        self ? load_square(&matrices, call, self) : call->err->status;

    if (!status)
        status = dg_matrices_new(&pivots, &matrices, DG_TYPE_I32, matrices.rows, 1);
    if (!status)
        status = dg_matrices_new(&info, &matrices, DG_TYPE_I32, 1, 1);
    if (!status)
        status = dg_lapack_load(call);
    for (int64_t i = 0; !status && i < matrices.n && matrices.rows; i++) {
        struct dg_columns matrix = dg_matrix_at(&matrices, i);

        dg_matrix_keep(matrix, 'L');
        *dg_integers_at(&info, i) =
            dg_lapack_ldl(matrix, hermitian, dg_integers_at(&pivots, i));
        status = dg_lapack_says(call, *dg_integers_at(&info, i));
    }
    if (!status && checks)
        status = dg_matrices_need_success(&info, "singular");
    if (!status)
        status = dg_matrices_give(&matrices, 0, self->type, DG_AS_MATRIX);
    if (!status)
        status = dg_matrices_give(&pivots, 1, DG_TYPE_I32, DG_AS_COLUMN);
    if (!status && call->n_results > 2)
        status = dg_matrices_give(&info, 2, DG_TYPE_I32, DG_AS_NUMBER);
    return status;
}

enum dg_status dg_cpu_ldl_factor(struct dg_call *call)
{
    return factor_ldl(call, true);
}

enum dg_status dg_cpu_ldl_factor_ex(struct dg_call *call)
{
    return factor_ldl(call, dg_arg_bool(call, 2, false));
}

/* Pivots of one matrix: from 1 to `n`; blocks of two have two negative ones. */
static bool are_pivots(const int32_t *pivots, int n)
{
    for (int k = 0; k < n; k++) {
        bool is_block = pivots[k] < 0;

        if (pivots[k] == 0 || pivots[k] < -n || pivots[k] > n)
            return false;
        if (is_block && (++k == n || pivots[k] >= 0 || pivots[k] < -n))
            return false;
    }
    return true;
}

static enum dg_status check_pivots(const struct dg_matrices *factors,
                                   const struct dg_matrices *pivots)
{
    bool right = pivots->rows == factors->rows;

    for (int64_t i = 0; right && i < pivots->n && pivots->rows; i++)
        right = are_pivots(dg_integers_at(pivots, i), pivots->rows);
    return right ? DG_OK
                 : dg_call_fail(factors->call, DG_ERR_FORMAT,
                                "pivots that no LDL factors of %d rows have",
                                factors->rows);
}

struct ldl {
    struct dg_matrices factors, pivots, x;
};

/* The dimensions before those of the matrices broadcast. */
static enum dg_status load_ldl(struct ldl *ldl, struct dg_call *call)
{
    struct dg_tensor wide[2], pivots[2];
    enum dg_status status = dg_matrices_broadcast(
        call, (struct dg_tensor *[]){dg_arg_tensor(call, 0), dg_arg_tensor(call, 2)},
        (enum dg_matrix_form[]){DG_AS_MATRIX, DG_AS_MATRIX}, wide);

    if (!status)
        status = dg_matrices_broadcast(
            call, (struct dg_tensor *[]){dg_arg_tensor(call, 1), &wide[1]},
            (enum dg_matrix_form[]){DG_AS_COLUMN, DG_AS_MATRIX}, pivots);
    if (!status)
        status = load_square(&ldl->factors, call, &wide[0]);
    if (!status)
        status = dg_matrices_load_pivots(&ldl->pivots, call, &pivots[0]);
    if (!status)
        status = check_pivots(&ldl->factors, &ldl->pivots);
    if (!status)
        status = dg_matrices_load(&ldl->x, call, &wide[1], DG_AS_MATRIX);
    if (!status && ldl->pivots.n != ldl->x.n)
        status = dg_call_fail(call, DG_ERR_FORMAT, "more pivots than matrices");
    return status ? status : dg_matrices_need_fit(&ldl->factors, &ldl->x);
}

enum dg_status dg_cpu_ldl_solve(struct dg_call *call)
{
    bool hermitian = dg_arg_bool(call, 3, false);
    struct ldl ldl;
    enum dg_status status = load_ldl(&ldl, call);

    if (!status)
        status = dg_lapack_load(call);
    for (int64_t i = 0; !status && i < ldl.x.n && ldl.x.rows && ldl.x.columns; i++)
        status = dg_lapack_says(
            call, dg_lapack_ldl_solve(dg_matrix_at(&ldl.factors, i), hermitian,
                                      dg_integers_at(&ldl.pivots, i),
                                      dg_matrix_at(&ldl.x, i)));
    return status ? status
                  : dg_matrices_give(&ldl.x, 0, dg_arg_tensor(call, 2)->type,
                                     DG_AS_MATRIX);
}
