/* Norms of vectors, distances between vectors, logsumexp. */
#include "kernels/cpu/norms.h"

#include <math.h>

#include "kernels/cpu/reduce.h"

static void magnitudes(double *line, int64_t n, double parameter)
{
    for (int64_t i = 0; i < n; i++)
        line[i] = fabs(line[i]);
}

static void squares(double *line, int64_t n, double parameter)
{
    for (int64_t i = 0; i < n; i++)
        line[i] = line[i] * line[i];
}

static void ones_unless_zero(double *line, int64_t n, double parameter)
{
    for (int64_t i = 0; i < n; i++)
        line[i] = line[i] != 0;
}

static void powers(double *line, int64_t n, double p)
{
    for (int64_t i = 0; i < n; i++)
        line[i] = pow(fabs(line[i]), p);
}

static dg_term_fn *terms_of(double p)
{
    if (p == 0)
        return ones_unless_zero;
    if (p == 2)
        return squares;
    return p == 1 || isinf(p) ? magnitudes : powers;
}

struct dg_norm dg_norm_begin(const struct dg_context *context, enum dg_type type,
                             double p)
{
    return (struct dg_norm){p, dg_total_begin(context, type), p < 0 ? INFINITY : 0};
}

/* Own sums have the order in their type, as libraries do: 0.9 is then 2e-8 off. */
static double order_of(const struct dg_norm *norm)
{
    return norm->total.kind == DG_TOTAL_F32 ? (float)norm->p : norm->p;
}

static double root(const struct dg_norm *norm, double sum)
{
    double inverse = 1 / order_of(norm);

    return pow(sum, norm->total.kind == DG_TOTAL_F32 ? (float)inverse : inverse);
}

void dg_norm_add(struct dg_norm *norm, double *line, int64_t n)
{
    terms_of(norm->p)(line, n, order_of(norm));
    if (!isinf(norm->p)) {
        dg_total_add(&norm->total, line, n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        if (isnan(line[i]) ||
            (norm->p > 0 ? line[i] > norm->extreme : line[i] < norm->extreme))
            norm->extreme = line[i];
    }
}

double dg_norm_end(const struct dg_norm *norm)
{
    double sum = dg_total_end(&norm->total);

    if (isinf(norm->p))
        return norm->extreme;
    if (norm->p == 2)
        return sqrt(sum);
    return norm->p == 0 || norm->p == 1 ? sum : root(norm, sum);
}

static void norm_group(const struct dg_reduction *r, struct dg_group *group, int64_t i)
{
    struct dg_norm norm =
        dg_norm_begin(r->call->context, r->out[0]->type, r->parameter);
    double line[DG_LINE_MOST];
    int64_t n;

    while ((n = dg_read_reals(group, line)))
        dg_norm_add(&norm, line, n);
    dg_put_real(r->out[0], i, dg_norm_end(&norm));
}

static enum dg_status norm(struct dg_call *call, struct dg_reduce_args at, double p)
{
    struct dg_reduction r;
    enum dg_status status = dg_reduce_begin(&r, call, at);
    enum dg_type type;

    if (status)
        return status;
    type = at.dtype ? dg_arg_type(call, at.dtype, r.in->type) : r.in->type;
    if (!dg_type_is_float(type))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a norm is a floating point number, and %s is not one",
                            dg_type_name(type));
    if (!r.n_each && r.n_groups && (p < 0 || isinf(p)))
        return dg_call_fail(call, DG_ERR_FORMAT, "no elements have no norm of order %g",
                            p);
    r.parameter = p;
    status = dg_reduce_result(&r, 0, type);
    if (!status)
        dg_reduce_run(&r, norm_group);
    return status;
}

/* NORM(kernel, positions of dim, keepdim, dtype) */
#define NORM(name, dims, keepdim, dtype)                                               \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return norm(call, (struct dg_reduce_args){dims, keepdim, dtype},               \
                    dg_arg_real(call, 1, 2));                                          \
    }

NORM(norm, 0, 0, 0)
NORM(norm_dtype, 0, 0, 2)
NORM(vector_norm, 2, 3, 4)

bool dg_norm_is_of_matrices(const struct dg_call *call)
{
    const struct dg_tensor *in = dg_arg_tensor(call, 0);
    int64_t dims[DG_RANK_MOST];
    int n_dims = dg_arg_ints(call, 2, dims, DG_RANK_MOST);

    return !dg_arg_missing(call, 1) && (n_dims ? n_dims : in ? in->rank : 0) > 1;
}

/* Without an order all dimensions are one vector. */
enum dg_status dg_cpu_linalg_norm(struct dg_call *call)
{
    return dg_norm_is_of_matrices(call)
               ? dg_cpu_matrix_norm(call)
               : norm(call, (struct dg_reduce_args){2, 3, 4}, dg_arg_real(call, 1, 2));
}

enum dg_status dg_cpu_frobenius_norm(struct dg_call *call)
{
    return norm(call, (struct dg_reduce_args){1, 2, 0}, 2);
}

static double largest(struct dg_group *group)
{
    double line[DG_LINE_MOST], most = -INFINITY;
    int64_t n;

    while ((n = dg_read_reals(group, line))) {
        for (int64_t i = 0; i < n; i++)
            most = line[i] > most || isnan(line[i]) ? line[i] : most;
    }
    return most;
}

static void exponentials(double *line, int64_t n, double most)
{
    for (int64_t i = 0; i < n; i++)
        line[i] = exp(line[i] - most);
}

static void logsumexp_group(const struct dg_reduction *r, struct dg_group *group,
                            int64_t i)
{
    double most = largest(group);
    double shift = isinf(most) ? 0 : most;

    dg_put_real(r->out[0], i, shift + log(dg_group_sum(group, exponentials, shift)));
}

enum dg_status dg_cpu_logsumexp(struct dg_call *call)
{
    struct dg_reduction r;
    enum dg_status status = dg_reduce_begin(&r, call, (struct dg_reduce_args){1, 2, 0});

    if (!status)
        status = dg_reduce_result(
            &r, 0, dg_type_is_float(r.in->type) ? r.in->type : DG_TYPE_F32);
    if (!status)
        dg_reduce_run(&r, logsumexp_group);
    return status;
}
