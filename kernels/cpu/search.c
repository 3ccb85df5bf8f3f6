/* Where values stand among sorted ones: searchsorted, bucketize; and bincount. */
#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/promote.h"
#include "kernels/cpu/walk.h"

/* A search: contiguous copies in f64, or in i64 where all are integers. */
struct search {
    struct dg_tensor *sorted, *values, *order; /* order: i64, or NULL */
    bool reals, right;
};

/* By way of the common type, in which torch compares. */
static struct dg_tensor *widened(struct dg_call *call, struct dg_tensor *from,
                                 enum dg_type type)
{
    enum dg_type wide = dg_type_is_float(type) ? DG_TYPE_F64 : DG_TYPE_I64;
    struct dg_tensor *as_type =
        dg_tensor_new(call->context->memory, type, from->rank, from->sizes, call->err);
    struct dg_tensor *result = as_type
                                   ? dg_tensor_new(call->context->memory, wide,
                                                   from->rank, from->sizes, call->err)
                                   : NULL;

    if (result) {
        dg_copy_elements(as_type, from, call->context->n_threads);
        dg_copy_elements(result, as_type, call->context->n_threads);
    }
    dg_tensor_drop(as_type);
    return result;
}

/* Argument `i`, a tensor or a number, which `storage` then holds. */
static struct dg_tensor tensor_or_number(struct dg_call *call, size_t i,
                                         enum dg_type type, struct dg_storage *storage)
{
    const struct dg_tensor *tensor = dg_arg_tensor(call, i);

    if (tensor)
        return *tensor;
    dg_scalar_bytes(call, i, type, storage->bytes);
    return (struct dg_tensor){.type = type, .storage = storage};
}

/* The first place behind all that come before the value. */
static int64_t place_of(const struct search *search, int64_t first, int64_t n,
                        int64_t value)
{
    const int64_t *order = search->order ? dg_tensor_data(search->order) : NULL;
    const double *reals = dg_tensor_data(search->sorted);
    const int64_t *integers = dg_tensor_data(search->sorted);
    double real = search->reals ? ((double *)dg_tensor_data(search->values))[value] : 0;
    int64_t integer = ((int64_t *)dg_tensor_data(search->values))[value];
    int64_t low = 0, high = n;

    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        int64_t at = first + (order ? order[first + middle] : middle);
        bool behind;

        if (search->reals)
            behind = search->right ? reals[at] > real : reals[at] >= real;
        else
            behind = search->right ? integers[at] > integer : integers[at] >= integer;
        if (behind)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Either one row to search in, or as many as the values have. */
static enum dg_status check_rows(struct dg_call *call, const struct search *search)
{
    const struct dg_tensor *sorted = search->sorted, *values = search->values;
    bool fits = sorted->rank == 1 || (sorted->rank && sorted->rank == values->rank);

    for (int dim = 0; fits && dim < sorted->rank - 1; dim++)
        fits = sorted->sizes[dim] == values->sizes[dim];
    if (fits && search->order) {
        const int64_t *order = dg_tensor_data(search->order);
        int64_t n = sorted->sizes[sorted->rank - 1], count = dg_tensor_count(sorted);

        fits = dg_tensor_same_shape(search->order, sorted);
        for (int64_t i = 0; fits && i < count; i++)
            fits = order[i] >= 0 && order[i] < n;
    }
    return fits ? DG_OK
                : dg_call_fail(call, DG_ERR_FORMAT,
                               "rows to search in of rank %d, values of rank %d, or a "
                               "sorter that do not fit",
                               sorted->rank, values->rank);
}

static enum dg_status give_places(struct dg_call *call, const struct search *search,
                                  bool as_i32)
{
    const struct dg_tensor *sorted = search->sorted, *values = search->values;
    enum dg_type type = as_i32 ? DG_TYPE_I32 : DG_TYPE_I64;
    int64_t n = sorted->sizes[sorted->rank - 1], count = dg_tensor_count(values);
    int64_t per_row = sorted->rank == 1 ? count : values->sizes[values->rank - 1];
    struct dg_tensor *out = dg_result(call, 0, type, values->rank, values->sizes);
    char *to;

    if (!out)
        return call->err->status;
    to = dg_tensor_data(out);
    for (int64_t i = 0; i < count; i++) {
        int64_t place = place_of(search, i / per_row * n, n, i);

        dg_store_i64(type, to, 1, &place, 1);
        to += dg_type_bytes(type);
    }
    return DG_OK;
}

static enum dg_status search_in(struct dg_call *call, size_t sorted, size_t values,
                                struct dg_tensor *sorter, bool right)
{
    enum dg_type type = dg_common_type(call->args, call->n_args < 2 ? 0 : 2);
    struct search search = {.reals = dg_type_is_float(type), .right = right};
    int64_t bytes = 0;
    struct dg_storage storage = {(unsigned char *)&bytes, sizeof(bytes), 1, NULL};
    struct dg_tensor given;
    enum dg_status status = DG_ERR_FORMAT;

    if (type == DG_TYPE_NONE || !dg_need_tensor(call, sorted))
        return dg_call_fail(call, DG_ERR_FORMAT, "no type to compare in");
    given = tensor_or_number(call, values, type, &storage);
    search.sorted = widened(call, dg_arg_tensor(call, sorted), type);
    search.values = widened(call, &given, type);
    search.order = sorter ? widened(call, sorter, DG_TYPE_I64) : NULL;
    if (search.sorted && search.values && (search.order || !sorter))
        status = check_rows(call, &search);
    else
        status = call->err->status;
    if (!status)
        status = give_places(call, &search, dg_arg_bool(call, 2, false));
    dg_tensor_drop(search.sorted);
    dg_tensor_drop(search.values);
    dg_tensor_drop(search.order);
    return status;
}

/* aten::searchsorted: sorted_sequence, self, out_int32, right, side, sorter. */
enum dg_status dg_cpu_searchsorted(struct dg_call *call)
{
    const struct dg_arg *side = call->n_args > 4 ? &call->args[4] : NULL;
    bool right = dg_arg_bool(call, 3, false);

    if (side && side->kind == DG_ARG_STRING)
        right = right || !strcmp(side->as.string, "right");
    return search_in(call, 0, 1, dg_arg_tensor(call, 5), right);
}

/* aten::bucketize: self, boundaries, out_int32, right. */
enum dg_status dg_cpu_bucketize(struct dg_call *call)
{
    return search_in(call, 1, 0, NULL, dg_arg_bool(call, 3, false));
}

/* How large the result of bincount is; -1: a number is negative. */
static int64_t count_bins(const struct dg_tensor *numbers, int64_t least)
{
    const int64_t *number = dg_tensor_data(numbers);
    int64_t n = dg_tensor_count(numbers), bins = least;

    for (int64_t i = 0; i < n; i++) {
        if (number[i] < 0 || number[i] == INT64_MAX)
            return -1;
        bins = number[i] >= bins ? number[i] + 1 : bins;
    }
    return bins;
}

static void add_weights(struct dg_tensor *sums, const struct dg_tensor *numbers,
                        const struct dg_tensor *weights, bool f32_steps)
{
    const int64_t *number = dg_tensor_data(numbers);
    const double *weight = dg_tensor_data(weights);
    double *sum = dg_tensor_data(sums);
    int64_t n = dg_tensor_count(numbers);

    for (int64_t i = 0; i < n; i++) {
        double next = sum[number[i]] + weight[i];

        sum[number[i]] = f32_steps ? (double)(float)next : next;
    }
}

/* Weights of f32 give f32, all others f64. */
static enum dg_status sum_weights(struct dg_call *call, struct dg_tensor *numbers,
                                  struct dg_tensor *weights, int64_t bins)
{
    enum dg_type type = weights->type == DG_TYPE_F32 ? DG_TYPE_F32 : DG_TYPE_F64;
    struct dg_tensor *wide, *sums = NULL, *out;
    bool own = call->context->precision == DG_PRECISION_OWN_SUMS;

    if (!dg_tensor_same_shape(weights, numbers))
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld weights for %lld numbers",
                            (long long)dg_tensor_count(weights),
                            (long long)dg_tensor_count(numbers));
    out = dg_result(call, 0, type, 1, &bins);
    wide = out ? widened(call, weights, DG_TYPE_F64) : NULL;
    if (wide)
        sums = dg_tensor_new(call->context->memory, DG_TYPE_F64, 1, &bins, call->err);
    if (sums) {
        dg_zero_elements(sums);
        add_weights(sums, numbers, wide, own && type == DG_TYPE_F32);
        dg_copy_elements(out, sums, call->context->n_threads);
    }
    dg_tensor_drop(wide);
    dg_tensor_drop(sums);
    return sums ? DG_OK : call->err->status;
}

static enum dg_status count_numbers(struct dg_call *call,
                                    const struct dg_tensor *numbers, int64_t bins)
{
    struct dg_tensor *out = dg_result(call, 0, DG_TYPE_I64, 1, &bins);
    const int64_t *number = dg_tensor_data(numbers);
    int64_t n = dg_tensor_count(numbers), *counts;

    if (!out)
        return call->err->status;
    dg_zero_elements(out);
    counts = dg_tensor_data(out);
    for (int64_t i = 0; i < n; i++)
        counts[number[i]]++;
    return DG_OK;
}

/* aten::bincount: self, weights, minlength. */
enum dg_status dg_cpu_bincount(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *weights = dg_arg_tensor(call, 1);
    int64_t least = dg_arg_int(call, 2, 0), bins;
    struct dg_tensor *numbers;
    enum dg_status status;

    if (!self)
        return call->err->status;
    if (self->rank != 1 || !dg_type_is_integer(self->type) || least < 0)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%s of rank %d and minlength %lld; a vector of integers is "
                            "needed",
                            dg_type_name(self->type), self->rank, (long long)least);
    numbers = widened(call, self, DG_TYPE_I64);
    if (!numbers)
        return call->err->status;
    bins = count_bins(numbers, least);
    if (bins < 0)
        status = dg_call_fail(call, DG_ERR_FORMAT, "a number is negative or too large");
    else if (weights)
        status = sum_weights(call, numbers, weights, bins);
    else
        status = count_numbers(call, numbers, bins);
    dg_tensor_drop(numbers);
    return status;
}
