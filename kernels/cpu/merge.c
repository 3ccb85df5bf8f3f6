/* Values that merge where indices name one element several times. */
#include <math.h>

#include "base/number.h"
#include "kernels/cpu/indexing.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

struct merge {
    const struct dg_merging *merging;
    enum dg_type from;  /* of the values */
    enum dg_type round; /* of each step; NONE: exact */
    bool reals;         /* else integers */
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
        return held + merge->merging->alpha * value;
    case DG_MERGE_PROD:
        return held * value;
    case DG_MERGE_MAX:
        return isnan(held) || held > value ? held : value;
    case DG_MERGE_MIN:
        return isnan(held) || held < value ? held : value;
    }
    return held;
}

/* Sums and products wrap. */
static int64_t merge_integers(const struct merge *merge, int64_t held, int64_t value)
{
    uint64_t a = (uint64_t)held, b = (uint64_t)value;

    switch (merge->merging->how) {
    case DG_MERGE_SUM:
    case DG_MERGE_MEAN:
        return (int64_t)(a + (uint64_t)(int64_t)merge->merging->alpha * b);
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

/* at: sums, indices, values, and how many came before where that counts. */
static void merge_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    const struct merge *merge = data;
    const int64_t *index = (const int64_t *)(void *)at[1];
    union {
        double reals[DG_LINE_MOST];
        int64_t integers[DG_LINE_MOST];
    } values;

    if (merge->reals)
        dg_load_f64(values.reals, merge->from, at[2], strides[2], n);
    else
        dg_load_i64(values.integers, merge->from, at[2], strides[2], n);
    for (int64_t i = 0; i < n; i++) {
        int64_t to = index[i * strides[1]] * merge->step;
        double *real = (double *)(void *)at[0] + i * strides[0] + to;
        int64_t *integer = (int64_t *)(void *)at[0] + i * strides[0] + to;
        int64_t *before =
            merge->counts ? (int64_t *)(void *)at[3] + i * strides[3] + to : NULL;
        bool first = is_first(merge, before);

        if (!merge->reals)
            *integer = first ? values.integers[i]
                             : merge_integers(merge, *integer, values.integers[i]);
        else
            *real = first ? merge->merging->alpha * values.reals[i]
                          : rounded(merge->round,
                                    merge_reals(merge, *real, values.reals[i]));
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
        if (merge->reals)
            reals[i] /= (double)n;
        else
            integers[i] = floor_divided(integers[i], n);
    }
}

static void store_sums(const struct merge *merge, struct dg_tensor *out,
                       const struct dg_tensor *sums)
{
    int64_t count = dg_tensor_count(out);

    if (merge->reals)
        dg_store_f64(out->type, dg_tensor_data(out), 1, dg_tensor_data(sums), count);
    else
        dg_store_i64(out->type, dg_tensor_data(out), 1, dg_tensor_data(sums), count);
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

enum dg_status dg_merge_along(struct dg_call *call, struct dg_tensor *out,
                              const struct dg_tensor *to, int dim,
                              struct dg_tensor *index, struct dg_tensor *src,
                              const struct dg_merging *merging)
{
    bool own = call->context->precision == DG_PRECISION_OWN_SUMS;
    struct merge merge = {merging,
                          src->type,
                          own ? merging->steps : DG_TYPE_NONE,
                          dg_type_is_float(out->type),
                          merging->how == DG_MERGE_MEAN || !merging->include_self,
                          to->strides[dim]};
    enum dg_type type = merge.reals ? DG_TYPE_F64 : DG_TYPE_I64;
    int64_t count = dg_tensor_count(out), n_counts = merge.counts ? count : 0;
    struct dg_tensor *sums =
        dg_tensor_new(call->context->memory, type, 1, &count, call->err);
    struct dg_tensor *before =
        dg_tensor_new(call->context->memory, DG_TYPE_I64, 1, &n_counts, call->err);
    struct dg_tensor flat = dg_shaped(out, 1, &count, NULL), line, counted;
    struct dg_walk walk;
    bool room = sums && before;

    if (room) {
        dg_copy_elements(sums, &flat, call->context->n_threads);
        dg_zero_elements(before);
        line = standing(sums, to, dim, index);
        counted = standing(before, to, dim, index);
        dg_walk_begin(&walk, merge.counts ? 4 : 3,
                      (struct dg_tensor *[]){&line, index, src, &counted});
        dg_walk_lines(&walk, 1, merge_line, &merge);
        if (merging->how == DG_MERGE_MEAN)
            divide_by_counts(&merge, sums, dg_tensor_data(before));
        store_sums(&merge, out, sums);
    }
    dg_tensor_drop(sums);
    dg_tensor_drop(before);
    return room ? DG_OK : call->err->status;
}
