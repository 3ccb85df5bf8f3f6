/* Linear equations and inverses. */
#include <complex.h>

#include "kernels/cpu/complex.h"
#include "kernels/cpu/linalg.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"

/* Whether each right side is one vector: then its dimensions say so. */
static bool is_vector(const struct dg_tensor *a, const struct dg_tensor *b)
{
    bool same = b->rank == a->rank - 1;

    for (int dim = 0; same && dim < b->rank; dim++)
        same = a->sizes[dim] == b->sizes[dim];
    return b->rank == 1 || same;
}

static enum dg_status factor_square(struct dg_lu *factors, struct dg_call *call,
                                    const struct dg_tensor *a)
{
    enum dg_status status = dg_lu_factor(factors, call, a, DG_AS_MATRIX);

    return status ? status : dg_matrices_need_square(&factors->lu);
}

/* LU and pivots where there are four results, and info. */
static enum dg_status give_factors(struct dg_call *call, const struct dg_lu *factors,
                                   enum dg_type type)
{
    enum dg_status status = DG_OK;

    if (call->n_results == 4)
        status = dg_matrices_give(&factors->lu, 1, type, DG_AS_MATRIX);
    if (!status && call->n_results == 4)
        status = dg_matrices_give(&factors->pivots, 2, DG_TYPE_I32, DG_AS_COLUMN);
    return status ? status
                  : dg_matrices_give(&factors->info, call->n_results - 1, DG_TYPE_I32,
                                     DG_AS_NUMBER);
}

static enum dg_status solve(struct dg_call *call, bool checks)
{
    struct dg_tensor *a = dg_need_tensor(call, 0), *b = dg_arg_tensor(call, 1);
    bool left = dg_arg_bool(call, 2, true);
    struct dg_tensor wide[2];
    struct dg_lu factors;
    struct dg_matrices x;
    enum dg_matrix_form form;
    enum dg_status status;

    if (!a || !b || a->type != b->type)
        return dg_call_fail(call, DG_ERR_FORMAT, "both sides need one element type");
    form = is_vector(a, b) ? DG_AS_COLUMN : left ? DG_AS_MATRIX : DG_AS_ADJOINT;
    if (form == DG_AS_COLUMN && !left)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "vectors are solved for from the left");
    status = dg_matrices_broadcast(call, (struct dg_tensor *[]){a, b},
                                   (enum dg_matrix_form[]){DG_AS_MATRIX, form}, wide);
    if (!status)
        status = factor_square(&factors, call, &wide[0]);
    if (!status && checks)
        status = dg_lu_need_regular(&factors);
    if (!status)
        status = dg_matrices_load(&x, call, &wide[1], form);
    if (!status)
        status = dg_lu_solve(&factors, !left, &x);
    if (!status)
        status = dg_matrices_give(&x, 0, b->type, form);
    /* Factors that are given are those of `a` as it is, not as it broadcasts. */
    if (!status && call->n_results > 1 && !dg_tensor_same_shape(a, &wide[0]))
        status = factor_square(&factors, call, a);
    return status || call->n_results == 1 ? status
                                          : give_factors(call, &factors, a->type);
}

enum dg_status dg_cpu_linalg_solve(struct dg_call *call)
{
    return solve(call, true);
}

enum dg_status dg_cpu_linalg_solve_ex(struct dg_call *call)
{
    return solve(call, dg_arg_bool(call, 3, false));
}

/* Where nobody checks, torch tells of a singular matrix, and what it has for the
 * inverse hangs on its LAPACK: nothing can be held to that. */
static enum dg_status need_inverses(const struct dg_lu *factors)
{
    struct dg_call *call = factors->lu.call;

    for (int64_t i = 0; i < factors->lu.n && factors->lu.rows; i++) {
        if (call->context->precision == DG_PRECISION_EXACT_SUMS &&
            *dg_integers_at(&factors->info, i) > 0)
            return dg_call_fail(call, DG_ERR_DEVICE,
                                "matrix %lld is singular: it has no inverse",
                                (long long)i);
    }
    return DG_OK;
}

static enum dg_status invert(struct dg_call *call, bool checks)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_matrices inverse;
    struct dg_lu factors;
    enum dg_status status =
        self ? factor_square(&factors, call, self) : call->err->status;

    if (!status)
        status = checks ? dg_lu_need_regular(&factors) : need_inverses(&factors);
    if (!status)
        status = dg_lu_need_certain(&factors, self->type);
    if (!status)
        status = dg_lu_invert(&factors, &inverse);
    if (!status)
        status = dg_matrices_give(&inverse, 0, self->type, DG_AS_MATRIX);
    if (!status && call->n_results > 1)
        status = dg_matrices_give(&factors.info, 1, DG_TYPE_I32, DG_AS_NUMBER);
    return status;
}

enum dg_status dg_cpu_linalg_inv(struct dg_call *call)
{
    return invert(call, true);
}

enum dg_status dg_cpu_linalg_inv_ex(struct dg_call *call)
{
    return invert(call, dg_arg_bool(call, 1, false));
}

struct triangular {
    struct dg_tensor *a, *b;
    bool upper, left, unit, adjoint;
};

/* A triangular matrix is a product of LU factors of which the other is 1: U, or the
 * adjoint of L. */
static enum dg_status as_factors(struct dg_lu *factors, struct dg_call *call,
                                 const struct dg_tensor *a, bool upper, bool unit)
{
    struct dg_matrices *lu = &factors->lu;
    enum dg_status status =
        dg_matrices_load(lu, call, a, upper ? DG_AS_MATRIX : DG_AS_ADJOINT);

    factors->of_adjoint = !upper;
    if (!status)
        status = dg_matrices_need_square(lu);
    if (!status)
        status = dg_matrices_new(&factors->pivots, lu, DG_TYPE_I32, lu->rows, 1);
    for (int64_t i = 0; !status && i < lu->n && lu->rows; i++) {
        dg_matrix_keep(dg_matrix_at(lu, i), 'U');
        for (int k = 0; k < lu->rows; k++) {
            dg_integers_at(&factors->pivots, i)[k] = k + 1;
            if (unit)
                dg_matrix_set(dg_matrix_at(lu, i), k, k, 1);
        }
    }
    return status;
}

/* Of numbers as `type` has them: real ones are no complex ones whose other part may
 * become NaN. */
static double complex times(enum dg_type type, double complex a, double complex b)
{
    return dg_type_is_complex(type) ? dg_complex_times(a, b) : creal(a) * creal(b);
}

static double complex over(enum dg_type type, double complex a, double complex b)
{
    return dg_type_is_complex(type) ? a / b : creal(a) / creal(b);
}

/* `x` becomes u^-1 x, or that of the adjoint; `line`: as many numbers. */
static void substitute(struct dg_columns u, bool adjoint, double complex *x,
                       double complex *line)
{
    size_t bytes = (size_t)u.rows * dg_type_bytes(u.type);

    for (int i = 0; i < u.rows; i++) {
        int k = adjoint ? i : u.rows - 1 - i;

        dg_load_complex(line, u.type, (char *)u.data + (size_t)k * bytes, 1, k + 1);
        for (int j = 0; j < k && adjoint; j++)
            x[k] -= times(u.type, conj(line[j]), x[j]);
        x[k] = over(u.type, x[k], adjoint ? conj(line[k]) : line[k]);
        for (int j = 0; j < k && !adjoint; j++)
            x[j] -= times(u.type, line[j], x[k]);
    }
}

/* Where a solution is not finite it is found again, in `b`: the zeros of the factor
 * that is 1 make NaN of what has nothing to do with it. */
static enum dg_status mend(const struct dg_matrices *x, const struct dg_matrices *u,
                           bool adjoint, const struct dg_tensor *b,
                           enum dg_matrix_form form)
{
    size_t bytes = (size_t)x->rows * dg_type_bytes(x->type);
    struct dg_matrices again;
    double complex *column;
    enum dg_status status;

    if (dg_matrices_are_finite(x))
        return DG_OK;
    status = dg_matrices_load(&again, x->call, b, form);
    column = dg_scratch(x->call, 2 * (int64_t)x->rows, sizeof(*column));
    if (status || !column)
        return x->call->err->status;
    for (int64_t i = 0; i < x->n * x->columns; i++) {
        dg_load_complex(column, x->type, again.data + (size_t)i * bytes, 1, x->rows);
        substitute(dg_matrix_at(u, i / x->columns), adjoint, column, column + x->rows);
        dg_store_complex(x->type, x->data + (size_t)i * bytes, 1, column, x->rows);
    }
    return DG_OK;
}

static enum dg_status solve_triangular(struct dg_call *call,
                                       const struct triangular *given,
                                       struct dg_tensor wide[2])
{
    enum dg_matrix_form form = given->left ? DG_AS_MATRIX : DG_AS_ADJOINT;
    bool adjoint = given->adjoint == given->left;
    struct dg_lu factors;
    struct dg_matrices x;
    enum dg_status status =
        dg_matrices_broadcast(call, (struct dg_tensor *[]){given->a, given->b},
                              (enum dg_matrix_form[]){DG_AS_MATRIX, form}, wide);

    if (!status)
        status = as_factors(&factors, call, &wide[0], given->upper, given->unit);
    if (!status)
        status = dg_matrices_load(&x, call, &wide[1], form);
    if (!status)
        status = dg_lapack_load(call);
    if (!status)
        status = dg_lu_solve(&factors, adjoint, &x);
    if (!status)
        status = mend(&x, &factors.lu, adjoint == given->upper, &wide[1], form);
    return status ? status : dg_matrices_give(&x, 0, given->b->type, form);
}

enum dg_status dg_cpu_linalg_solve_triangular(struct dg_call *call)
{
    struct triangular given = {.a = dg_arg_tensor(call, 0),
                               .b = dg_arg_tensor(call, 1),
                               .upper = dg_arg_bool(call, 2, false),
                               .left = dg_arg_bool(call, 3, true),
                               .unit = dg_arg_bool(call, 4, false)};
    struct dg_tensor wide[2];

    return solve_triangular(call, &given, wide);
}

/* The second result is `a` as it broadcasts. */
enum dg_status dg_cpu_triangular_solve(struct dg_call *call)
{
    struct triangular given = {.a = dg_arg_tensor(call, 1),
                               .b = dg_arg_tensor(call, 0),
                               .upper = dg_arg_bool(call, 2, true),
                               .left = true,
                               .adjoint = dg_arg_bool(call, 3, false),
                               .unit = dg_arg_bool(call, 4, false)};
    struct dg_tensor wide[2];
    struct dg_matrices clone;
    enum dg_status status;

    if (given.adjoint && dg_call_has_complex(call))
        return dg_call_fail(call, DG_ERR_DEVICE, "complex matrices, transposed");
    status = solve_triangular(call, &given, wide);
    if (!status)
        status = dg_matrices_load(&clone, call, &wide[0], DG_AS_MATRIX);
    return status ? status : dg_matrices_give(&clone, 1, given.a->type, DG_AS_MATRIX);
}
