/* Values that merge where indices name one element several times. */
#include <complex.h>
#include <math.h>

#include "base/number.h"
#include "kernels/cpu/complex.h"
#include "kernels/cpu/indexing.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

enum domain { INTEGERS, REALS, PAIRS }; /* PAIRS: complex numbers */

struct merge {
    const struct dg_merging *merging;
    enum domain domain;
    union {
        int64_t whole;
        double real;
        double complex pair;
    } alpha;
    enum dg_type from;  /* of the values */
    enum dg_type round; /* of each step; NONE: exact */
    bool counts;        /* how many values each element had */
    int64_t step;
};

static double rounded(enum dg_type type, double value)
{
    switch (type) {
    case DG_TYPE_F16:
        return (double)dg_f16_value(dg_f16_bits(value));
    case DG_TYPE_BF16:
        return (double)dg_bf16_value(dg_bf16_bits(value));
    case DG_TYPE_F32:
        return (double)(float)value;
    default:
        return value;
    }
}

static double merge_reals(const struct merge *merge, double held, double value)
{
    switch (merge->merging->how) {
    case DG_MERGE_SUM:
    case DG_MERGE_MEAN:
        return held + merge->alpha.real * value;
    case DG_MERGE_PROD:
        return held * value;
    case DG_MERGE_MAX:
        return isnan(held) || held > value ? held : value;
    case DG_MERGE_MIN:
        return isnan(held) || held < value ? held : value;
    }
    return held;
}

static double complex merge_pairs(const struct merge *merge, double complex held,
                                  double complex value)
{
    double complex merged;

    /* The product with 1 makes NaN of infinities. */
    if (merge->merging->how == DG_MERGE_PROD)
        merged = dg_complex_times(held, value);
    else if (merge->merging->alpha)
        merged = held + dg_complex_times(merge->alpha.pair, value);
    else
        merged = held + value;

    return dg_complex_of(rounded(merge->round, creal(merged)),
                         rounded(merge->round, cimag(merged)));
}

/* Sums and products wrap. */
static int64_t merge_integers(const struct merge *merge, int64_t held, int64_t value)
{
    uint64_t a = (uint64_t)held, b = (uint64_t)value;

    switch (merge->merging->how) {
    case DG_MERGE_SUM:
    case DG_MERGE_MEAN:
        return (int64_t)(a + (uint64_t)merge->alpha.whole * b);
    case DG_MERGE_PROD:
        return (int64_t)(a * b);
    case DG_MERGE_MAX:
        return held > value ? held : value;
    case DG_MERGE_MIN:
        return held < value ? held : value;
    }
    return held;
}

/* Whether a value is the first for its element and replaces what is there. */
static bool is_first(const struct merge *merge, int64_t *before)
{
    return merge->counts && !(*before)++ && !merge->merging->include_self;
}

union values {
    int64_t integers[DG_LINE_MOST];
    double reals[DG_LINE_MOST];
    double complex pairs[DG_LINE_MOST];
};

static void load(const struct merge *merge, union values *values, const char *from,
                 int64_t stride, int64_t n)
{
    if (merge->domain == INTEGERS)
        dg_load_i64(values->integers, merge->from, from, stride, n);
    else if (merge->domain == REALS)
        dg_load_f64(values->reals, merge->from, from, stride, n);
    else
        dg_load_complex(values->pairs, merge->from, from, stride, n);
}

/* Element `i` of the values into the sum at `place`. */
static void put(const struct merge *merge, char *sums, int64_t place,
                const union values *values, int64_t i, bool first)
{
    int64_t *integer = (int64_t *)(void *)sums + place;
    double *real = (double *)(void *)sums + place;
    double complex *pair = (double complex *)(void *)sums + place;

    if (merge->domain == INTEGERS)
        *integer = first ? values->integers[i]
                         : merge_integers(merge, *integer, values->integers[i]);
    else if (merge->domain == REALS)
        *real =
            first ? values->reals[i]
                  : rounded(merge->round, merge_reals(merge, *real, values->reals[i]));
    else
        *pair = first ? values->pairs[i] : merge_pairs(merge, *pair, values->pairs[i]);
}

/* at: sums, indices, values, and how many came before where that counts. */
static void merge_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    const struct merge *merge = data;
    const int64_t *index = (const int64_t *)(void *)at[1];
    union values values;

    load(merge, &values, at[2], strides[2], n);
    for (int64_t i = 0; i < n; i++) {
        int64_t to = index[i * strides[1]] * merge->step;
        int64_t *before =
            merge->counts ? (int64_t *)(void *)at[3] + i * strides[3] + to : NULL;

        put(merge, at[0], i * strides[0] + to, &values, i, is_first(merge, before));
    }
}

static int64_t floor_divided(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static void divide_by_counts(const struct merge *merge, struct dg_tensor *sums,
                             const int64_t *before)
{
    int64_t count = dg_tensor_count(sums), *integers = dg_tensor_data(sums);
    double *reals = dg_tensor_data(sums);

    for (int64_t i = 0; i < count; i++) {
        int64_t n = before[i] + merge->merging->include_self;

        if (n < 2)
            continue;
        if (merge->domain == INTEGERS)
            integers[i] = floor_divided(integers[i], n);
        else if (merge->domain == REALS)
            reals[i] /= (double)n;
        else
            for (int part = 0; part < 2; part++)
                reals[2 * i + part] /= (double)n;
    }
}

static void store_sums(const struct merge *merge, struct dg_tensor *out,
                       const struct dg_tensor *sums)
{
    const void *from = dg_tensor_data(sums);
    int64_t count = dg_tensor_count(out);

    if (merge->domain == INTEGERS)
        dg_store_i64(out->type, dg_tensor_data(out), 1, from, count);
    else if (merge->domain == REALS)
        dg_store_f64(out->type, dg_tensor_data(out), 1, from, count);
    else
        dg_store_complex(out->type, dg_tensor_data(out), 1, from, count);
}

/* `tensor` by the strides of `to` at index 0 of `dim`, for each position of `shape`. */
static struct dg_tensor standing(const struct dg_tensor *tensor,
                                 const struct dg_tensor *to, int dim,
                                 const struct dg_tensor *shape)
{
    struct dg_tensor line = dg_shaped(tensor, shape->rank, shape->sizes, to->strides);

    line.strides[dim] = 0;
    return line;
}

static enum domain domain_of(enum dg_type type)
{
    return dg_type_is_complex(type) ? PAIRS : dg_type_is_float(type) ? REALS : INTEGERS;
}

/* torch takes no factor that the sums cannot hold, and orders no complex numbers. */
static enum dg_status set_factor(struct dg_call *call, struct merge *merge)
{
    static const struct dg_arg one = {DG_ARG_INT, .as.integer = 1};
    const struct dg_merging *merging = merge->merging;
    const struct dg_arg *alpha = merging->alpha ? merging->alpha : &one;
    bool whole = alpha->kind == DG_ARG_INT || alpha->kind == DG_ARG_BOOL;
    double real = whole ? (double)alpha->as.integer : alpha->as.real;

    if (!whole && alpha->kind != DG_ARG_FLOAT && alpha->kind != DG_ARG_COMPLEX)
        return dg_call_fail(call, DG_ERR_FORMAT, "alpha is not a number");
    if ((merge->domain == INTEGERS && !whole) ||
        (merge->domain == REALS && alpha->kind == DG_ARG_COMPLEX))
        return dg_call_fail(call, DG_ERR_FORMAT, "an alpha that %s does not hold",
                            dg_type_name(merge->from));
    if (merge->domain == PAIRS &&
        (merging->how == DG_MERGE_MAX || merging->how == DG_MERGE_MIN))
        return dg_call_fail(call, DG_ERR_FORMAT, "an order of complex numbers");
    if (merge->domain == INTEGERS)
        merge->alpha.whole = alpha->as.integer;
    else if (merge->domain == REALS)
        merge->alpha.real = real;
    else
        merge->alpha.pair =
            alpha->kind == DG_ARG_COMPLEX
                ? dg_complex_of(alpha->as.pair.real, alpha->as.pair.imag)
                : dg_complex_of(real, 0);
    return DG_OK;
}

static void merge_all(struct dg_call *call, const struct merge *merge,
                      struct dg_tensor *out, const struct dg_tensor *to, int dim,
                      struct dg_tensor *index, struct dg_tensor *src,
                      struct dg_tensor *sums, struct dg_tensor *before)
{
    struct dg_tensor flat = dg_shaped(out, 1, sums->sizes, NULL);
    struct dg_tensor line = standing(sums, to, dim, index);
    struct dg_tensor counted = standing(before, to, dim, index);
    struct dg_walk walk;

    dg_copy_elements(sums, &flat, call->context->n_threads);
    dg_zero_elements(before);
    dg_walk_begin(&walk, merge->counts ? 4 : 3,
                  (struct dg_tensor *[]){&line, index, src, &counted});
    dg_walk_lines(&walk, 1, merge_line, (void *)merge);
    if (merge->merging->how == DG_MERGE_MEAN)
        divide_by_counts(merge, sums, dg_tensor_data(before));
    store_sums(merge, out, sums);
}

enum dg_status dg_merge_along(struct dg_call *call, struct dg_tensor *out,
                              const struct dg_tensor *to, int dim,
                              struct dg_tensor *index, struct dg_tensor *src,
                              const struct dg_merging *merging)
{
    static const enum dg_type types[] = {DG_TYPE_I64, DG_TYPE_F64, DG_TYPE_C128};
    bool own = call->context->precision == DG_PRECISION_OWN_SUMS;
    struct merge merge = {.merging = merging,
                          .domain = domain_of(out->type),
                          .from = src->type,
                          .round = own ? dg_type_part(merging->steps) : DG_TYPE_NONE,
                          .counts =
                              merging->how == DG_MERGE_MEAN || !merging->include_self,
                          .step = to->strides[dim]};
    int64_t count = dg_tensor_count(out), n_counts = merge.counts ? count : 0;
    struct dg_tensor *sums, *before;
    bool room;

    if (set_factor(call, &merge))
        return call->err->status;
    sums =
        dg_tensor_new(call->context->memory, types[merge.domain], 1, &count, call->err);
    before = dg_tensor_new(call->context->memory, DG_TYPE_I64, 1, &n_counts, call->err);
    room = sums && before;
    if (room)
        merge_all(call, &merge, out, to, dim, index, src, sums, before);
    dg_tensor_drop(sums);
    dg_tensor_drop(before);
    return room ? DG_OK : call->err->status;
}
