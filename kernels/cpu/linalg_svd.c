/* Singular values and eigenvalues, and their vectors. */
#include <complex.h>
#include <string.h>

#include "kernels/cpu/linalg.h"
#include "kernels/cpu/movement.h"

static enum dg_status converged(struct dg_call *call, int info, int64_t i)
{
    return info > 0
               ? dg_call_fail(call, DG_ERR_FORMAT,
                              "values of matrix %lld do not converge", (long long)i)
               : dg_lapack_says(call, info);
}

/* Of matrix `i`. What has infinite elements has values and vectors that are NaN; what
 * has NaN torch refuses. */
static enum dg_status svd_of(const struct dg_matrices *matrices, int64_t i, char job,
                             struct dg_columns u, struct dg_columns values,
                             struct dg_columns vh)
{
    struct dg_columns matrix = dg_matrix_at(matrices, i);

    if (dg_matrix_is_finite(matrix))
        return converged(matrices->call, dg_lapack_svd(matrix, job, values.data, u, vh),
                         i);
    if (dg_matrix_has_nan(matrix))
        return dg_call_fail(matrices->call, DG_ERR_FORMAT,
                            "matrix %lld has an element that is NaN", (long long)i);
    dg_matrix_make_nan(values);
    if (job != 'N') {
        dg_matrix_make_nan(u);
        dg_matrix_make_nan(vh);
    }
    return DG_OK;
}

enum dg_status dg_singular_values(const struct dg_matrices *matrices, char job,
                                  struct dg_matrices *u, struct dg_matrices *values,
                                  struct dg_matrices *vh)
{
    struct dg_call *call = matrices->call;
    int rows = matrices->rows, columns = matrices->columns;
    int n = dg_lesser(rows, columns);
    struct dg_columns none = {matrices->type, 1, 1, NULL};
    enum dg_status status =
        dg_matrices_new(values, matrices, dg_type_part(matrices->type), n, 1);

    if (!status && job != 'N')
        status =
            dg_matrices_new(u, matrices, matrices->type, rows, job == 'A' ? rows : n);
    if (!status && job != 'N')
        status = dg_matrices_new(vh, matrices, matrices->type, job == 'A' ? columns : n,
                                 columns);
    if (!status)
        status = dg_lapack_load(call);
    for (int64_t i = 0; !status && i < matrices->n && n; i++)
        status =
            svd_of(matrices, i, job, job == 'N' ? none : dg_matrix_at(u, i),
                   dg_matrix_at(values, i), job == 'N' ? none : dg_matrix_at(vh, i));
    return status;
}

/* Of a matrix without rows or without columns all vectors are those of the identity. */
static void make_identities(const struct dg_matrices *vectors)
{
    for (int64_t i = 0; i < vectors->n && vectors->rows && vectors->columns; i++) {
        for (int k = 0; k < dg_lesser(vectors->rows, vectors->columns); k++)
            dg_matrix_set(dg_matrix_at(vectors, i), k, k, 1);
    }
}

/* U, S and V or its adjoint; `form` that of V. */
static enum dg_status svd(struct dg_call *call, char job, enum dg_matrix_form form)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_matrices matrices, u, values, vh;
    enum dg_status status = self ? dg_matrices_load(&matrices, call, self, DG_AS_MATRIX)
                                 : call->err->status;

    if (!status)
        status = dg_singular_values(&matrices, job, &u, &values, &vh);
    if (!status)
        status = dg_matrices_give(&values, 1, dg_type_part(self->type), DG_AS_COLUMN);
    if (status || job == 'N')
        return status;
    if (!values.rows) {
        make_identities(&u);
        make_identities(&vh);
    }
    status = dg_matrices_give(&u, 0, self->type, DG_AS_MATRIX);
    return status ? status : dg_matrices_give(&vh, 2, self->type, form);
}

enum dg_status dg_cpu_linalg_svd(struct dg_call *call)
{
    return svd(call, dg_arg_bool(call, 1, true) ? 'A' : 'S', DG_AS_MATRIX);
}

enum dg_status dg_cpu_linalg_svd_maybe(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    enum dg_status status;

    if (!self || dg_arg_bool(call, 2, true))
        return svd(call, dg_arg_bool(call, 1, false) ? 'A' : 'S', DG_AS_MATRIX);
    status = svd(call, 'N', DG_AS_MATRIX);
    if (!status)
        status = dg_matrices_give_none(call, 0, self->type);
    return status ? status : dg_matrices_give_none(call, 2, self->type);
}

/* Zeros of all columns take the place of vectors that were not asked for. */
static enum dg_status give_zeros(size_t result, const struct dg_matrices *like,
                                 int size, enum dg_type type)
{
    struct dg_matrices zeros;
    enum dg_status status = dg_matrices_new(&zeros, like, like->type, size, size);

    return status ? status : dg_matrices_give(&zeros, result, type, DG_AS_MATRIX);
}

enum dg_status dg_cpu_svd(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_matrices like;
    enum dg_status status;

    if (!self || dg_arg_bool(call, 2, true))
        return svd(call, dg_arg_bool(call, 1, true) ? 'S' : 'A', DG_AS_ADJOINT);
    status = svd(call, 'N', DG_AS_ADJOINT);
    if (!status)
        status = dg_matrices_load(&like, call, self, DG_AS_MATRIX);
    if (!status)
        status = give_zeros(0, &like, like.rows, self->type);
    return status ? status : give_zeros(2, &like, like.columns, self->type);
}

enum dg_status dg_cpu_linalg_svdvals(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_matrices matrices, values;
    enum dg_status status = self ? dg_matrices_load(&matrices, call, self, DG_AS_MATRIX)
                                 : call->err->status;

    if (!status)
        status = dg_singular_values(&matrices, 'N', NULL, &values, NULL);
    return status
               ? status
               : dg_matrices_give(&values, 0, dg_type_part(self->type), DG_AS_COLUMN);
}

/* What torch gives for NaN hangs on its LAPACK, which may make finite values of it:
 * nothing can be held to them. */
static enum dg_status need_no_nan(const struct dg_matrices *matrices, int64_t i)
{
    struct dg_call *call = matrices->call;

    if (call->context->precision != DG_PRECISION_EXACT_SUMS ||
        !dg_matrix_has_nan(dg_matrix_at(matrices, i)))
        return DG_OK;
    return dg_call_fail(call, DG_ERR_DEVICE,
                        "matrix %lld has an element that is NaN: its eigenvalues hang "
                        "on the LAPACK",
                        (long long)i);
}

/* Of matrix `i`, which becomes its vectors: one element is its own value, and what is
 * not finite has none but NaN. */
static enum dg_status eigh_of(const struct dg_matrices *matrices, int64_t i, char side,
                              bool vectors, struct dg_columns values)
{
    struct dg_columns matrix = dg_matrix_at(matrices, i);
    enum dg_status status = DG_OK;

    dg_matrix_keep(matrix, side);
    if (matrix.rows == 1) {
        dg_matrix_set(values, 0, 0, creal(dg_matrix_get(matrix, 0, 0)));
        dg_matrix_set(matrix, 0, 0, 1);
    } else if (dg_matrix_is_finite(matrix)) {
        status = converged(
            matrices->call,
            dg_lapack_eigh(matrix, vectors ? 'V' : 'N', side, values.data), i);
    } else {
        status = need_no_nan(matrices, i);
        dg_matrix_make_nan(values);
        dg_matrix_make_nan(matrix);
    }
    return status;
}

enum dg_status dg_eigen_values(const struct dg_matrices *matrices, char side,
                               bool vectors, struct dg_matrices *values)
{
    enum dg_status status = dg_matrices_need_square(matrices);

    if (!status)
        status = dg_matrices_new(values, matrices, dg_type_part(matrices->type),
                                 matrices->rows, 1);
    if (!status)
        status = dg_lapack_load(matrices->call);
    for (int64_t i = 0; !status && i < matrices->n && matrices->rows; i++)
        status = eigh_of(matrices, i, side, vectors, dg_matrix_at(values, i));
    return status;
}

/* The triangle that counts, by argument 1; 0: it names none. */
static char side_of(struct dg_call *call)
{
    const char *side = call->n_args > 1 && call->args[1].kind == DG_ARG_STRING
                           ? call->args[1].as.string
                           : "L";

    if (strlen(side) == 1 && strchr("LlUu", *side))
        return *side == 'L' || *side == 'l' ? 'L' : 'U';
    dg_call_fail(call, DG_ERR_FORMAT, "no triangle is named \"%.40s\"", side);
    return 0;
}

static enum dg_status eigh(struct dg_call *call, bool vectors)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    char side = side_of(call);
    struct dg_matrices matrices, values;
    enum dg_status status = self && side
                                ? dg_matrices_load(&matrices, call, self, DG_AS_MATRIX)
                                : call->err->status;

    if (!status)
        status = dg_eigen_values(&matrices, side, vectors, &values);
    if (!status)
        status = dg_matrices_give(&values, 0, dg_type_part(self->type), DG_AS_COLUMN);
    if (status || call->n_results == 1)
        return status;
    return vectors ? dg_matrices_give(&matrices, 1, self->type, DG_AS_MATRIX)
                   : dg_matrices_give_none(call, 1, self->type);
}

enum dg_status dg_cpu_linalg_eigh(struct dg_call *call)
{
    return eigh(call, true);
}

enum dg_status dg_cpu_linalg_eigh_maybe(struct dg_call *call)
{
    return eigh(call, dg_arg_bool(call, 2, true));
}

enum dg_status dg_cpu_linalg_eigvalsh(struct dg_call *call)
{
    return eigh(call, false);
}

/* As complex numbers, whatever the matrices have. */
static enum dg_status load_complex(struct dg_matrices *to, struct dg_call *call,
                                   const struct dg_tensor *tensor)
{
    struct dg_matrices real;
    enum dg_status status = dg_matrices_load(&real, call, tensor, DG_AS_MATRIX);

    if (!status)
        status = dg_matrices_need_square(&real);
    if (!status)
        status = dg_matrices_need_finite(&real);
    if (!status)
        status = dg_matrices_new(to, &real, dg_type_complex(dg_type_part(real.type)),
                                 real.rows, real.columns);
    for (int64_t i = 0; !status && i < real.n && real.rows; i++) {
        for (int column = 0; column < real.columns; column++) {
            for (int row = 0; row < real.rows; row++)
                dg_matrix_set(dg_matrix_at(to, i), row, column,
                              dg_matrix_get(dg_matrix_at(&real, i), row, column));
        }
    }
    return status;
}

static enum dg_status eig(struct dg_call *call, bool has_vectors)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    enum dg_type type = self ? dg_type_complex(dg_type_part(self->type)) : DG_TYPE_C64;
    struct dg_matrices matrices, values, vectors;
    enum dg_status status =
        self ? load_complex(&matrices, call, self) : call->err->status;

    if (!status)
        status = dg_matrices_new(&values, &matrices, matrices.type, matrices.rows, 1);
    if (!status && has_vectors)
        status = dg_matrices_new(&vectors, &matrices, matrices.type, matrices.rows,
                                 matrices.columns);
    if (!status)
        status = dg_lapack_load(call);
    for (int64_t i = 0; !status && i < matrices.n && matrices.rows; i++) {
        int info = dg_lapack_eig(
            dg_matrix_at(&matrices, i), dg_matrix_at(&values, i).data,
            has_vectors ? dg_matrix_at(&vectors, i) : (struct dg_columns){0});

        status = converged(call, info, i);
    }
    if (!status)
        status = dg_matrices_give(&values, 0, type, DG_AS_COLUMN);
    return status || !has_vectors ? status
                                  : dg_matrices_give(&vectors, 1, type, DG_AS_MATRIX);
}

enum dg_status dg_cpu_linalg_eig(struct dg_call *call)
{
    return eig(call, true);
}

enum dg_status dg_cpu_linalg_eigvals(struct dg_call *call)
{
    return eig(call, false);
}
