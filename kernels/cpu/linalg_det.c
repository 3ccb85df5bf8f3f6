/* Determinants, by the diagonals of LU factors. */
#include <complex.h>
#include <math.h>

#include "kernels/cpu/linalg.h"
#include "kernels/cpu/movement.h"

/* Where torch shows the factors of a determinant they are those of the transposed
 * matrix, if that is how a real one lies in memory. */
static enum dg_status factor(struct dg_lu *factors, struct dg_call *call,
                             const struct dg_tensor *tensor)
{
    bool transposed = dg_tensor_contiguous(tensor) && !dg_type_is_complex(tensor->type);
    enum dg_status status =
        dg_lu_factor(factors, call, tensor, transposed ? DG_AS_ADJOINT : DG_AS_MATRIX);

    return status ? status : dg_matrices_need_square(&factors->lu);
}

/* sign * exp(log): the product of a diagonal may leave the range of f64. */
struct determinant {
    double complex sign, value;
    double log;
};

/* Of NaN torch has the sign 0, but of complex numbers NaN. */
static double complex sign_of(enum dg_type type, double complex factor)
{
    return dg_type_is_complex(type) ? factor / (cabs(factor) > 0 ? cabs(factor) : 1)
                                    : (creal(factor) > 0) - (creal(factor) < 0);
}

static struct determinant determinant_of(const struct dg_lu *factors, int64_t i)
{
    struct determinant all = {1, 1, 0};
    struct dg_columns lu = dg_matrix_at(&factors->lu, i);

    for (int k = 0; k < lu.rows; k++) {
        double complex factor = dg_matrix_get(lu, k, k);

        if (dg_integers_at(&factors->pivots, i)[k] != k + 1)
            factor = -factor;
        all.value *= factor;
        all.sign *= sign_of(lu.type, factor);
        all.log += log(cabs(factor));
    }
    return all;
}

enum what { VALUES, SIGNS, LOGS, N_WHAT };

struct determinants {
    struct dg_lu factors;
    struct dg_matrices of[N_WHAT];
};

static enum dg_status compute(struct determinants *all, struct dg_call *call,
                              const struct dg_tensor *self)
{
    enum dg_status status = factor(&all->factors, call, self);
    const struct dg_matrices *lu = &all->factors.lu;

    for (int what = 0; what < N_WHAT && !status; what++)
        status = dg_matrices_new(
            &all->of[what], lu, what == LOGS ? dg_type_part(lu->type) : lu->type, 1, 1);
    for (int64_t i = 0; !status && i < lu->n; i++) {
        struct determinant one = determinant_of(&all->factors, i);

        dg_matrix_set(dg_matrix_at(&all->of[VALUES], i), 0, 0, one.value);
        dg_matrix_set(dg_matrix_at(&all->of[SIGNS], i), 0, 0, one.sign);
        dg_matrix_set(dg_matrix_at(&all->of[LOGS], i), 0, 0, one.log);
    }
    return status;
}

/* With their signs and logarithms, which a determinant of next to nothing does not
 * have. */
static enum dg_status compute_logs(struct determinants *all, struct dg_call *call,
                                   const struct dg_tensor *self)
{
    enum dg_status status = compute(all, call, self);

    return status ? status : dg_lu_need_certain(&all->factors, self->type);
}

/* LU and pivots as the last results, where there is room for them. */
static enum dg_status give_factors(const struct dg_lu *factors, size_t first,
                                   enum dg_type type)
{
    enum dg_status status = DG_OK;

    if (factors->lu.call->n_results > first)
        status = dg_matrices_give(&factors->lu, first, type, DG_AS_MATRIX);
    if (!status && factors->lu.call->n_results > first)
        status =
            dg_matrices_give(&factors->pivots, first + 1, DG_TYPE_I32, DG_AS_COLUMN);
    return status;
}

enum dg_status dg_cpu_det(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct determinants all;
    enum dg_status status = self ? compute(&all, call, self) : call->err->status;

    if (!status)
        status = dg_matrices_give(&all.of[VALUES], 0, self->type, DG_AS_NUMBER);
    return status ? status : give_factors(&all.factors, 1, self->type);
}

enum dg_status dg_cpu_slogdet(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct determinants all;
    enum dg_status status = self ? compute_logs(&all, call, self) : call->err->status;

    if (!status)
        status = dg_matrices_give(&all.of[SIGNS], 0, self->type, DG_AS_NUMBER);
    if (!status)
        status =
            dg_matrices_give(&all.of[LOGS], 1, dg_type_part(self->type), DG_AS_NUMBER);
    return status ? status : give_factors(&all.factors, 2, self->type);
}

/* NaN of a negative determinant. */
enum dg_status dg_cpu_logdet(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct determinants all;
    enum dg_status status = self ? compute_logs(&all, call, self) : call->err->status;

    for (int64_t i = 0; !status && i < all.factors.lu.n; i++) {
        struct dg_columns value = dg_matrix_at(&all.of[VALUES], i);
        double complex sign = dg_matrix_get(dg_matrix_at(&all.of[SIGNS], i), 0, 0);
        double log = creal(dg_matrix_get(dg_matrix_at(&all.of[LOGS], i), 0, 0));

        if (dg_type_is_complex(value.type))
            dg_matrix_set(value, 0, 0, clog(sign) + log);
        else
            dg_matrix_set(value, 0, 0, creal(sign) == -1 ? NAN : log);
    }
    return status ? status
                  : dg_matrices_give(&all.of[VALUES], 0, self->type, DG_AS_NUMBER);
}
