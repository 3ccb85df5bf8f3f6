/* Running sums, products and extremes along a dimension. */
#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/reduce.h"

/* What a scan knows after the elements so far. */
struct running {
    double real, scale;
    int64_t integer, index;
    bool in_f32;
};

typedef void scan_reals_fn(struct running *so_far, double *line, int64_t n);
typedef void scan_integers_fn(struct running *so_far, int64_t *line, int64_t n);

struct scan {
    scan_reals_fn *reals;
    scan_integers_fn *integers;
    struct running start;
};

static void sum_reals(struct running *so_far, double *line, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        so_far->real += line[i];
        if (so_far->in_f32)
            so_far->real = (float)so_far->real;
        line[i] = so_far->real;
    }
}

static void sum_integers(struct running *so_far, int64_t *line, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        so_far->integer = (int64_t)((uint64_t)so_far->integer + (uint64_t)line[i]);
        line[i] = so_far->integer;
    }
}

static void multiply_reals(struct running *so_far, double *line, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        so_far->real *= line[i];
        if (so_far->in_f32)
            so_far->real = (float)so_far->real;
        line[i] = so_far->real;
    }
}

static void multiply_integers(struct running *so_far, int64_t *line, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        so_far->integer = (int64_t)((uint64_t)so_far->integer * (uint64_t)line[i]);
        line[i] = so_far->integer;
    }
}

/* The sum of exponentials is scale * exp(real), real being the largest so far. */
static void add_exponentials(struct running *so_far, double *line, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double x = line[i], most = so_far->real;

        if (x > most) {
            so_far->scale = so_far->scale * exp(most - x) + 1;
            so_far->real = x;
        } else {
            so_far->scale += x == most ? 1 : exp(x - most);
        }
        line[i] = so_far->real + log(so_far->scale);
    }
}

static void scan_group(const struct dg_reduction *r, struct dg_group *group, int64_t i)
{
    const struct scan *scan = r->data;
    int dim = (int)r->parameter;
    struct dg_tensor *out = r->out[0];
    int64_t step = dg_line_step(r->in, dim), n,
            bytes = (int64_t)dg_type_bytes(out->type);
    char *at = (char *)dg_tensor_data(out) + dg_line_start(r->in, dim, i) * bytes;
    struct running so_far = scan->start;
    union {
        double reals[DG_LINE_MOST];
        int64_t integers[DG_LINE_MOST];
    } line;

    so_far.in_f32 = r->call->context->precision == DG_PRECISION_OWN_SUMS &&
                    out->type != DG_TYPE_F64;
    for (bool reals = dg_type_is_float(out->type);; at += n * step * bytes) {
        n = reals ? dg_read_reals(group, line.reals)
                  : dg_read_integers(group, line.integers);
        if (!n)
            break;
        if (reals) {
            scan->reals(&so_far, line.reals, n);
            dg_store_f64(out->type, at, step, line.reals, n);
        } else {
            scan->integers(&so_far, line.integers, n);
            dg_store_i64(out->type, at, step, line.integers, n);
        }
    }
}

/* Lines along the dimension that argument 1 names. */
static enum dg_status begin(struct dg_reduction *r, struct dg_call *call, int *dim)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0);
    int64_t wanted = dg_arg_int(call, 1, 0);

    *dim = 0;
    if (in && !dg_dimension(call, wanted, in->rank, dim))
        return call->err->status;
    return dg_reduce_over(r, call, in, 1, (int64_t[]){*dim}, false);
}

static enum dg_status scan(struct dg_call *call, const struct scan *kind)
{
    struct dg_reduction r;
    int dim;
    enum dg_status status = begin(&r, call, &dim);
    enum dg_type type;

    if (status)
        return status;
    type = dg_type_is_float(r.in->type) ? r.in->type : DG_TYPE_I64;
    type = dg_arg_type(call, 2, type);
    if (!dg_type_is_float(type) && !kind->integers)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "floating point numbers are needed, and %s is none",
                            dg_type_name(type));
    r.parameter = dim;
    r.data = kind;
    r.out[0] = dg_result(call, 0, type, r.in->rank, r.in->sizes);
    if (!r.out[0])
        return call->err->status;
    if (dg_tensor_count(r.out[0]))
        dg_reduce_run(&r, scan_group);
    return DG_OK;
}

enum dg_status dg_cpu_cumsum(struct dg_call *call)
{
    return scan(call, &(struct scan){sum_reals, sum_integers, {0}});
}

enum dg_status dg_cpu_cumprod(struct dg_call *call)
{
    return scan(
        call,
        &(struct scan){multiply_reals, multiply_integers, {.real = 1, .integer = 1}});
}

enum dg_status dg_cpu_logcumsumexp(struct dg_call *call)
{
    return scan(call, &(struct scan){add_exponentials, NULL, {.real = -INFINITY}});
}

/* The best element up to each one and its index: a NaN once there is one, and of equal
 * elements the last. */
#define EXTREMES(name, ctype, read, put, beats)                                        \
    static void name(const struct dg_reduction *r, struct dg_group *group, int64_t i)  \
    {                                                                                  \
        ctype line[DG_LINE_MOST], best = 0;                                            \
        int dim = (int)r->parameter;                                                   \
        int64_t at = dg_line_start(r->in, dim, i), step = dg_line_step(r->in, dim);    \
        int64_t index = -1, n, start = 0;                                              \
                                                                                       \
        for (; (n = read(group, line)); start += n) {                                  \
            for (int64_t k = 0; k < n; k++, at += step) {                              \
                if (index < 0 || line[k] != line[k] || line[k] beats best) {           \
                    best = line[k];                                                    \
                    index = start + k;                                                 \
                }                                                                      \
                put(r->out[0], at, best);                                              \
                dg_put_integer(r->out[1], at, index);                                  \
            }                                                                          \
        }                                                                              \
    }

EXTREMES(max_reals, double, dg_read_reals, dg_put_real, >=)
EXTREMES(min_reals, double, dg_read_reals, dg_put_real, <=)
EXTREMES(max_integers, int64_t, dg_read_integers, dg_put_integer, >=)
EXTREMES(min_integers, int64_t, dg_read_integers, dg_put_integer, <=)

static enum dg_status extremes(struct dg_call *call, dg_group_fn *reals,
                               dg_group_fn *integers)
{
    struct dg_reduction r;
    int dim;
    enum dg_status status = begin(&r, call, &dim);

    if (status)
        return status;
    r.parameter = dim;
    r.out[0] = dg_result(call, 0, r.in->type, r.in->rank, r.in->sizes);
    r.out[1] =
        r.out[0] ? dg_result(call, 1, DG_TYPE_I64, r.in->rank, r.in->sizes) : NULL;
    if (!r.out[1])
        return call->err->status;
    if (dg_tensor_count(r.out[0]))
        dg_reduce_run(&r, dg_type_is_float(r.in->type) ? reals : integers);
    return DG_OK;
}

enum dg_status dg_cpu_cummax(struct dg_call *call)
{
    return extremes(call, max_reals, max_integers);
}

enum dg_status dg_cpu_cummin(struct dg_call *call)
{
    return extremes(call, min_reals, min_integers);
}
