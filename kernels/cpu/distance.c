/* Distances and angles between vectors. */
#include <math.h>

#include "kernels/cpu/compose.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/norms.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/special.h"

static double norm_of_difference(struct dg_group *a, struct dg_group *b, double shift,
                                 double p)
{
    const struct dg_reduction *r = a->reduction;
    struct dg_norm norm = dg_norm_begin(r->call->context, r->out[0]->type, p);
    double line[DG_LINE_MOST], other[DG_LINE_MOST];
    int64_t n;

    while ((n = dg_read_reals(a, line))) {
        dg_read_reals(b, other);
        for (int64_t i = 0; i < n; i++)
            line[i] = line[i] - other[i] + shift;
        dg_norm_add(&norm, line, n);
    }
    return dg_norm_end(&norm);
}

/* Two tensors of one shape, reduced together: groups of the one go with those of the
 * other. */
struct pair {
    struct dg_tensor a, b;
    struct dg_reduction reduction, other;
    double shift;
};

static void distance_group(const struct dg_reduction *r, struct dg_group *group,
                           int64_t i)
{
    const struct pair *pair = r->data;
    struct dg_group other = dg_group_of(&pair->other, i);

    dg_put_real(r->out[0], i,
                norm_of_difference(group, &other, pair->shift, r->parameter));
}

/* a . b / (max(|a|, least) max(|b|, least)) */
static void cosine_group(const struct dg_reduction *r, struct dg_group *group,
                         int64_t i)
{
    const struct pair *pair = r->data;
    struct dg_group other = dg_group_of(&pair->other, i);
    struct dg_total dot = dg_total_begin(r->call->context, r->out[0]->type);
    struct dg_norm lengths[2];
    double a[DG_LINE_MOST], b[DG_LINE_MOST], products[DG_LINE_MOST];
    int64_t n;

    lengths[0] = lengths[1] = dg_norm_begin(r->call->context, r->out[0]->type, 2);
    while ((n = dg_read_reals(group, a))) {
        dg_read_reals(&other, b);
        for (int64_t k = 0; k < n; k++)
            products[k] = a[k] * b[k];
        dg_total_add(&dot, products, n);
        dg_norm_add(&lengths[0], a, n);
        dg_norm_add(&lengths[1], b, n);
    }
    dg_put_real(r->out[0], i,
                dg_total_end(&dot) / fmax(dg_norm_end(&lengths[0]), r->parameter) /
                    fmax(dg_norm_end(&lengths[1]), r->parameter));
}

static enum dg_status check_pair(struct dg_call *call)
{
    const struct dg_tensor *a = dg_arg_tensor(call, 0), *b = dg_arg_tensor(call, 1);

    if (!a || !b)
        return dg_call_fail(call, DG_ERR_FORMAT, "an input is not a tensor");
    if (!dg_type_is_float(dg_common_type(call->args, 2)))
        return dg_call_fail(call, DG_ERR_DEVICE, "distances of %s and %s",
                            dg_type_name(a->type), dg_type_name(b->type));
    return DG_OK;
}

/* pair->a and pair->b are there: give the result of fn over `dim`, or all of them. */
static enum dg_status run(struct pair *pair, struct dg_call *call, const int64_t *dim,
                          bool keepdim, dg_group_fn *fn, double parameter)
{
    enum dg_status status =
        dg_reduce_over(&pair->reduction, call, &pair->a, dim ? 1 : -1, dim, keepdim);

    if (!status)
        status =
            dg_reduce_over(&pair->other, call, &pair->b, dim ? 1 : -1, dim, keepdim);
    pair->reduction.data = pair;
    pair->reduction.parameter = parameter;
    if (!status)
        status = dg_reduce_result(&pair->reduction, 0, dg_common_type(call->args, 2));
    if (!status)
        dg_reduce_run(&pair->reduction, fn);
    return status;
}

/* Both inputs, spread to their common shape. */
static enum dg_status spread(struct pair *pair, struct dg_call *call)
{
    struct dg_tensor *tensors[] = {dg_arg_tensor(call, 0), dg_arg_tensor(call, 1)};
    enum dg_status status = check_pair(call);
    int64_t sizes[DG_RANK_MOST];
    int rank;

    if (!status)
        status = dg_broadcast(call, 2, tensors, &rank, sizes);
    if (status)
        return status;
    *pair = (struct pair){.a = dg_expanded(tensors[0], rank, sizes),
                          .b = dg_expanded(tensors[1], rank, sizes)};
    return DG_OK;
}

enum dg_status dg_cpu_dist(struct dg_call *call)
{
    struct pair pair;
    enum dg_status status = spread(&pair, call);

    return status
               ? status
               : run(&pair, call, NULL, false, distance_group, dg_arg_real(call, 2, 2));
}

/* Differences wrap in the integers' type before they are shifted, and so become f32. */
static enum dg_status distance_of_integers(struct dg_call *call)
{
    struct dg_tensor *apart =
        dg_apply_two(call, dg_cpu_sub, dg_arg_share(call, 0), dg_arg_share(call, 1));

    apart = dg_apply(call, dg_cpu_add, apart,
                     DG_REST(dg_real_arg(dg_arg_real(call, 3, 1e-6))));
    return dg_finish(
        call, dg_apply(call, dg_cpu_vector_norm, apart,
                       DG_REST(dg_real_arg(dg_arg_real(call, 2, 2)), dg_integer_arg(-1),
                               (struct dg_arg){DG_ARG_BOOL, .as.integer = dg_arg_bool(
                                                                call, 4, false)})));
}

enum dg_status dg_cpu_pairwise_distance(struct dg_call *call)
{
    struct pair pair;
    enum dg_status status;

    if (dg_type_is_integer(dg_common_type(call->args, call->n_args < 2 ? 0 : 2)))
        return distance_of_integers(call);
    status = spread(&pair, call);
    if (status)
        return status;
    pair.shift = dg_arg_real(call, 3, 1e-6);
    return run(&pair, call, (int64_t[]){-1}, dg_arg_bool(call, 4, false),
               distance_group, dg_arg_real(call, 2, 2));
}

enum dg_status dg_cpu_cosine_similarity(struct dg_call *call)
{
    int64_t dim = dg_arg_int(call, 2, 1);
    struct pair pair;
    enum dg_status status = spread(&pair, call);

    return status ? status
                  : run(&pair, call, &dim, false, cosine_group,
                        dg_arg_real(call, 3, 1e-8));
}

/* `tensor` with a dimension of size 1 before the last one, or before that. */
static struct dg_tensor unsqueezed(const struct dg_tensor *tensor, int dim)
{
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];

    for (int k = 0; k <= tensor->rank; k++) {
        sizes[k] = k == dim ? 1 : tensor->sizes[k - (k > dim)];
        strides[k] = k == dim ? 0 : tensor->strides[k - (k > dim)];
    }
    return dg_shaped(tensor, tensor->rank + 1, sizes, strides);
}

/* |a|^2 - 2 a b + |b|^2, as torch has distances of many rows by one product, of which
 * only sums are rounded: of near rows, what cancels is left. */
static void product_group(const struct dg_reduction *r, struct dg_group *group,
                          int64_t i)
{
    const struct pair *pair = r->data;
    const struct dg_context *context = r->call->context;
    enum dg_type type = r->out[0]->type;
    struct dg_group other = dg_group_of(&pair->other, i);
    struct dg_total squares[2] = {dg_total_begin(context, type),
                                  dg_total_begin(context, type)};
    enum dg_type wide = type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32;
    double a[DG_LINE_MOST], b[DG_LINE_MOST], sum = 0;
    int64_t n;

    while ((n = dg_read_reals(group, a))) {
        dg_read_reals(&other, b);
        for (int64_t k = 0; k < n; k++) {
            sum = dg_in_type(wide, fma(-2 * a[k], b[k], sum));
            a[k] = dg_in_type(type, a[k] * a[k]);
            b[k] = dg_in_type(type, b[k] * b[k]);
        }
        dg_total_add(&squares[0], a, n);
        dg_total_add(&squares[1], b, n);
    }
    for (int k = 0; k < 2; k++)
        sum = dg_in_type(wide, sum + dg_in_type(type, dg_total_end(&squares[k])));
    dg_put_real(r->out[0], i, sqrt(sum < 0 ? 0 : dg_in_type(type, sum)));
}

/* Of own sums: those of a library that computes differences are nearer to f64. */
static bool is_by_product(const struct dg_call *call)
{
    enum { IF_MANY, ALWAYS, MANY = 25 };
    const struct dg_tensor *a = dg_arg_tensor(call, 0), *b = dg_arg_tensor(call, 1);
    int64_t mode = call->n_args < 3 ? ALWAYS : dg_arg_int(call, 3, IF_MANY);
    bool many = a->sizes[a->rank - 2] > MANY || b->sizes[b->rank - 2] > MANY;

    return call->context->precision == DG_PRECISION_OWN_SUMS &&
           dg_arg_real(call, 2, 2) == 2 &&
           (mode == ALWAYS || (mode == IF_MANY && many));
}

/* Each row of the one with each row of the other. */
enum dg_status dg_cpu_cdist(struct dg_call *call)
{
    struct dg_tensor *a = dg_arg_tensor(call, 0), *b = dg_arg_tensor(call, 1), rows[2];
    enum dg_status status = check_pair(call);
    int64_t sizes[DG_RANK_MOST], last = -1;
    struct pair pair = {0};
    int rank;

    if (status)
        return status;
    if (a->rank < 2 || b->rank < 2 || a->rank >= DG_RANK_MOST ||
        b->rank >= DG_RANK_MOST || a->sizes[a->rank - 1] != b->sizes[b->rank - 1])
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "rows of ranks %d and %d are not of one size", a->rank,
                            b->rank);
    rows[0] = unsqueezed(a, a->rank - 1);
    rows[1] = unsqueezed(b, b->rank - 2);
    status =
        dg_broadcast(call, 2, (struct dg_tensor *[]){&rows[0], &rows[1]}, &rank, sizes);
    if (status)
        return status;
    pair.a = dg_expanded(&rows[0], rank, sizes);
    pair.b = dg_expanded(&rows[1], rank, sizes);
    return run(&pair, call, &last, false,
               is_by_product(call) ? product_group : distance_group,
               dg_arg_real(call, 2, 2));
}

/* Each row with each later one. */
static void pdist_rows(void *data, int64_t from, int64_t to)
{
    const struct dg_reduction *rows = data;

    for (int64_t i = from; i < to; i++) {
        int64_t at = i * (2 * rows->n_groups - i - 1) / 2;

        for (int64_t k = i + 1; k < rows->n_groups; k++) {
            struct dg_group a = dg_group_of(rows, i), b = dg_group_of(rows, k);

            dg_put_real(rows->out[0], at++,
                        norm_of_difference(&a, &b, 0, rows->parameter));
        }
    }
}

enum dg_status dg_cpu_pdist(struct dg_call *call)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0);
    struct dg_reduction rows;
    enum dg_status status = dg_reduce_over(&rows, call, in, 1, (int64_t[]){-1}, false);

    if (status)
        return status;
    if (in->rank != 2 || !dg_type_is_float(in->type) || in->sizes[0] > INT32_MAX)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a matrix of floats is needed; this is %s of rank %d",
                            dg_type_name(in->type), in->rank);
    rows.parameter = dg_arg_real(call, 1, 2);
    rows.out[0] = dg_result(call, 0, in->type, 1,
                            (int64_t[]){in->sizes[0] * (in->sizes[0] - 1) / 2});
    if (!rows.out[0])
        return call->err->status;
    dg_parallel(call->context->n_threads, rows.n_groups, 1 << 10, pdist_rows, &rows);
    return DG_OK;
}
