/* Bags of embeddings: rows of a table, summed, averaged or their maximum. */
#include <string.h>

#include "kernels/cpu/indexing.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

enum mode { SUM, MEAN, MAX };

/* A call, with contiguous copies of what it reads. */
struct bags {
    struct dg_tensor *weight;  /* f64 [rows, width] */
    struct dg_tensor *indices; /* i64, checked */
    struct dg_tensor *offsets; /* i64 */
    struct dg_tensor *factors; /* f64, one for each index; or NULL */
    int64_t n_bags, padding;   /* the row that does not count; -1: none */
    enum mode mode;
    bool f32_steps;
};

static struct dg_tensor *converted(struct dg_call *call, struct dg_tensor *tensor,
                                   enum dg_type type)
{
    struct dg_tensor *copy = dg_tensor_new(call->context->memory, type, tensor->rank,
                                           tensor->sizes, call->err);

    if (copy)
        dg_copy_elements(copy, tensor, call->context->n_threads);
    return copy;
}

static void close_bags(struct bags *bags)
{
    dg_tensor_drop(bags->weight);
    dg_tensor_drop(bags->indices);
    dg_tensor_drop(bags->offsets);
    dg_tensor_drop(bags->factors);
}

/* Where bag `i` ends in the indices. */
static int64_t end_of(const struct bags *bags, int64_t i)
{
    const int64_t *offsets = dg_tensor_data(bags->offsets);

    return i + 1 < bags->offsets->sizes[0] ? offsets[i + 1]
                                           : dg_tensor_count(bags->indices);
}

static enum dg_status check_offsets(struct dg_call *call, const struct bags *bags)
{
    const int64_t *offsets = dg_tensor_data(bags->offsets);
    int64_t n = dg_tensor_count(bags->indices);

    for (int64_t i = 0; i < bags->offsets->sizes[0]; i++) {
        if (offsets[i] < (i ? offsets[i - 1] : 0) || offsets[i] > n ||
            (!i && offsets[0]))
            return dg_call_fail(
                call, DG_ERR_FORMAT,
                "offset %lld of bag %lld among %lld indices; they start "
                "at 0 and grow",
                (long long)offsets[i], (long long)i, (long long)n);
    }
    return DG_OK;
}

/* What embedding_bag() says from the end, too; to what it calls, -1 is none. */
static int64_t padding_of(const struct dg_call *call, int64_t n_rows, bool from_end)
{
    int64_t padding = dg_arg_int(call, 8, -1);
    bool is_said = call->n_args > 8 && call->args[8].kind == DG_ARG_INT;

    return from_end && is_said && padding < 0 ? padding + n_rows : padding;
}

/* Arguments: weight, indices, offsets, scale_grad_by_freq, mode, sparse,
 * per_sample_weights, include_last_offset, padding_idx. */
static enum dg_status open_bags(struct dg_call *call, struct bags *bags, bool from_end)
{
    struct dg_tensor *weight = dg_need_tensor(call, 0);
    struct dg_tensor *indices = dg_need_tensor(call, 1);
    struct dg_tensor *offsets = dg_need_tensor(call, 2);
    struct dg_tensor *factors = dg_arg_tensor(call, 6);
    int64_t mode = dg_arg_int(call, 4, 0);

    if (!weight || !indices || !offsets)
        return call->err->status;
    if (weight->rank != 2 || indices->rank != 1 || offsets->rank != 1 || mode < 0 ||
        mode > 2 || !dg_type_is_float(weight->type))
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "ranks %d, %d, %d and mode %lld; 2, 1, 1 and 0 to 2 are "
                            "supported, of float weights",
                            weight->rank, indices->rank, offsets->rank,
                            (long long)mode);
    if (factors && (factors->rank != 1 || factors->sizes[0] != indices->sizes[0]))
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld factors for %lld indices",
                            (long long)dg_tensor_count(factors),
                            (long long)indices->sizes[0]);
    bags->mode = (enum mode)mode;
    bags->n_bags = offsets->sizes[0] - dg_arg_bool(call, 7, false);
    bags->padding = padding_of(call, weight->sizes[0], from_end);
    bags->f32_steps = call->context->precision == DG_PRECISION_OWN_SUMS &&
                      weight->type != DG_TYPE_F64;
    bags->weight = converted(call, weight, DG_TYPE_F64);
    bags->indices = dg_checked_indices(call, indices, 0, weight->sizes[0], false);
    bags->offsets = converted(call, offsets, DG_TYPE_I64);
    bags->factors = factors ? converted(call, factors, DG_TYPE_F64) : NULL;
    if (!bags->weight || !bags->indices || !bags->offsets ||
        (factors && !bags->factors))
        return call->err->status;
    if (bags->n_bags < 0)
        return dg_call_fail(call, DG_ERR_FORMAT, "no offset, where the last is an end");
    return check_offsets(call, bags);
}

/* Element `column` of bag `bag`; *argmax: the row of the maximum. */
static double bag_value(const struct bags *bags, int64_t bag, int64_t column,
                        int64_t *argmax, int64_t *n_counted)
{
    const double *weight = dg_tensor_data(bags->weight);
    const int64_t *rows = dg_tensor_data(bags->indices);
    const double *factors = bags->factors ? dg_tensor_data(bags->factors) : NULL;
    const int64_t *offsets = dg_tensor_data(bags->offsets);
    double value = 0;

    *n_counted = *argmax = 0;
    for (int64_t i = offsets[bag]; i < end_of(bags, bag); i++) {
        double x = weight[rows[i] * bags->weight->sizes[1] + column];

        if (rows[i] == bags->padding)
            continue;
        if (bags->mode == MAX) {
            if (!*n_counted || x > value) {
                value = x;
                *argmax = rows[i];
            }
        } else {
            value += factors ? x * factors[i] : x;
            value = bags->f32_steps ? (double)(float)value : value;
        }
        ++*n_counted;
    }
    return bags->mode == MEAN && *n_counted ? value / (double)*n_counted : value;
}

/* Result 1: the bag of each index. torch leaves it empty where sums take its fast path.
 */
static enum dg_status give_bag_numbers(struct dg_call *call, const struct bags *bags)
{
    const struct dg_tensor *weight = dg_arg_tensor(call, 0);
    bool fast =
        bags->mode == SUM && bags->padding < 0 && weight->strides[1] == 1 &&
        (weight->type != DG_TYPE_F64 || call->context->precision == DG_PRECISION_WIDE);
    int64_t n = fast ? 0 : dg_tensor_count(bags->indices), bag = 0;
    enum dg_type type = dg_arg_tensor(call, 2)->type;
    struct dg_tensor *out = dg_result(call, 1, type, 1, &n);

    if (!out)
        return call->err->status;
    for (int64_t i = 0; i < n; i++) {
        while (bag + 1 < bags->n_bags && i >= end_of(bags, bag))
            bag++;
        dg_store_i64(type,
                     (char *)dg_tensor_data(out) + (size_t)i * dg_type_bytes(type), 1,
                     &bag, 1);
    }
    return DG_OK;
}

/* The results: sums, bag numbers, sizes of the bags, rows of the maxima. */
static enum dg_status give_bags(struct dg_call *call, const struct bags *bags,
                                int64_t n_sizes)
{
    enum dg_type type = dg_arg_tensor(call, 2)->type;
    int64_t width = bags->weight->sizes[1], shape[2] = {bags->n_bags, width};
    struct dg_tensor *out, *sizes, *maxima;
    size_t bytes = dg_type_bytes(type), real_bytes;

    out = dg_result(call, 0, dg_arg_tensor(call, 0)->type, 2, shape);
    if (!out || give_bag_numbers(call, bags))
        return call->err->status;
    shape[0] = bags->mode == SUM ? n_sizes : bags->n_bags;
    sizes = dg_result(call, 2, type, 1, shape);
    maxima = sizes ? dg_result(call, 3, type, bags->mode == MAX ? 2 : 1, shape) : NULL;
    if (!maxima)
        return call->err->status;
    dg_zero_elements(sizes);
    dg_zero_elements(maxima);
    real_bytes = dg_type_bytes(out->type);
    for (int64_t i = 0; i < bags->n_bags * width; i++) {
        int64_t argmax, n;
        double value = bag_value(bags, i / width, i % width, &argmax, &n);
        char *size = (char *)dg_tensor_data(sizes) + (size_t)(i / width) * bytes;
        char *most = dg_tensor_data(maxima);

        dg_store_f64(out->type, (char *)dg_tensor_data(out) + (size_t)i * real_bytes, 1,
                     &value, 1);
        if (bags->mode == SUM)
            continue;
        dg_store_i64(type, size, 1, &n, 1);
        if (bags->mode == MAX)
            dg_store_i64(type, most + (size_t)i * bytes, 1, &argmax, 1);
        else
            dg_store_i64(type, most + (size_t)(i / width) * bytes, 1, &n, 1);
    }
    return DG_OK;
}

static enum dg_status embedding_bag(struct dg_call *call, bool from_end,
                                    bool sizes_as_offsets)
{
    struct bags bags = {0};
    enum dg_status status = open_bags(call, &bags, from_end);

    if (!status)
        status = give_bags(call, &bags,
                           sizes_as_offsets ? bags.offsets->sizes[0] : bags.n_bags);
    close_bags(&bags);
    return status;
}

enum dg_status dg_cpu_embedding_bag(struct dg_call *call)
{
    return embedding_bag(call, false, false);
}

enum dg_status dg_cpu_embedding_bag_padded(struct dg_call *call)
{
    return embedding_bag(call, true, false);
}

enum dg_status dg_cpu_embedding_bag_forward_only(struct dg_call *call)
{
    return embedding_bag(call, false, true);
}

/* Rows of the gradient whose index is not `padding`, added to the rows they name. */
static enum dg_status add_rows(struct dg_call *call, struct dg_tensor *out,
                               struct dg_tensor *grad, struct dg_tensor *indices,
                               int64_t padding)
{
    int64_t n = dg_tensor_count(indices);
    int64_t shape[2] = {n, out->sizes[1]}, width = out->sizes[1];
    struct dg_merging merging = {DG_MERGE_SUM, true, out->type, NULL};
    struct dg_tensor src = dg_shaped(grad, 2, shape, NULL);
    struct dg_tensor at = dg_shaped(indices, 1, &n, NULL);
    size_t row_bytes = (size_t)width * dg_type_bytes(out->type);
    enum dg_status status;

    at = dg_spread_along(&at, 0, 2, shape);
    status = dg_merge_along(call, out, out, 0, &at, &src, &merging);
    if (!status && padding >= 0 && padding < out->sizes[0])
        memset((char *)dg_tensor_data(out) + (size_t)padding * row_bytes, 0, row_bytes);
    return status;
}

/* aten::embedding_dense_backward: grad_output, indices, num_weights, padding_idx,
 * scale_grad_by_freq. */
enum dg_status dg_cpu_embedding_dense_backward(struct dg_call *call)
{
    struct dg_tensor *grad = dg_need_tensor(call, 0),
                     *indices = dg_need_tensor(call, 1);
    int64_t shape[2] = {dg_arg_int(call, 2, 0), 0};
    struct dg_tensor *out, *checked, *flat = NULL;
    enum dg_status status;

    if (!grad || !indices)
        return call->err->status;
    if (dg_arg_bool(call, 4, false))
        return dg_call_fail(call, DG_ERR_DEVICE, "gradients scaled by frequency");
    if (grad->rank != indices->rank + 1 ||
        memcmp(grad->sizes, indices->sizes,
               (size_t)indices->rank * sizeof(*grad->sizes)))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a gradient of rank %d for indices of rank %d", grad->rank,
                            indices->rank);
    shape[1] = grad->sizes[grad->rank - 1];
    out = dg_result(call, 0, grad->type, 2, shape);
    if (!out)
        return call->err->status;
    dg_zero_elements(out);
    checked = dg_checked_indices(call, indices, 0, shape[0], false);
    flat = checked ? dg_contiguous(call, grad) : NULL;
    status = flat ? add_rows(call, out, flat, checked, dg_arg_int(call, 3, -1))
                  : call->err->status;
    dg_tensor_drop(checked);
    dg_tensor_drop(flat);
    return status;
}
