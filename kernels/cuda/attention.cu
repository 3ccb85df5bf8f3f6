/* Scaled dot-product attention: two products, and between them a masked softmax. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/places.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/team.cuh"
#include "kernels/cuda/types.cuh"

extern "C" {
#include "kernels/cpu/walk.h"
}

/* Scores in the type computed with, and what is added to them. */
struct score_rows {
    int64_t n_rows, length, n_queries;
    bool causal;           /* query i sees the keys up to i */
    struct places<1> mask; /* the first mask element of a row */
    int64_t mask_step;
    const uint8_t *allowed; /* NULL: all are */
};

template <class C>
static __device__ inline C masked(const struct score_rows *rows, const C *scores,
                                  const C *added, int64_t row, int64_t mask,
                                  int64_t key)
{
    int64_t place = mask + key * rows->mask_step;

    if (rows->causal && key > row % rows->n_queries)
        return -INFINITY;
    if (rows->allowed && !rows->allowed[place])
        return -INFINITY;
    return scores[row * rows->length + key] + (added ? added[place] : C(0));
}

/* A row without any allowed key becomes 0. */
template <int TEAM, class T>
static __global__ void weigh_keys(struct score_rows rows, T *weights,
                                  computed<T> *log_sums, const computed<T> *scores,
                                  const computed<T> *added)
{
    using C = computed<T>;
    int64_t row = team_row<TEAM>(), mask = 0;
    C most = -INFINITY, sum = 0;

    if (row >= rows.n_rows)
        return;
    rows.mask.find((uint32_t)row, &mask);
    for (int64_t i = team_place<TEAM>(); i < rows.length; i += TEAM)
        most = larger(masked(&rows, scores, added, row, mask, i), most);
    most = merged<TEAM>(most, [](C a, C b) { return larger(a, b); });
    for (int64_t i = team_place<TEAM>(); i < rows.length && most != -INFINITY;
         i += TEAM)
        sum += exp(masked(&rows, scores, added, row, mask, i) - most);
    sum = merged<TEAM>(sum, add_up());
    if (log_sums && team_place<TEAM>() == 0)
        log_sums[row] = most + log(sum);
    for (int64_t i = team_place<TEAM>(); i < rows.length; i += TEAM) {
        C x = masked(&rows, scores, added, row, mask, i);

        weights[row * rows.length + i] =
            store<T>::of(most == -INFINITY ? C(0) : exp(x - most) / sum);
    }
}

struct attention {
    const struct dg_tensor *query, *key, *value;
    struct dg_tensor *mask; /* a share, bool or of the type computed with; NULL: none */
    struct dg_tensor *scores, *weights;
    struct dg_tensor *log_sums; /* a result; NULL: not wanted */
    enum dg_type type;
    int batch_rank;
    int64_t batch[DG_RANK_MOST], n_queries, n_keys, n_batch;
    double scale;
    bool causal;

    ~attention()
    {
        dg_tensor_drop(mask);
        dg_tensor_drop(scores);
        dg_tensor_drop(weights);
    }
};

static enum dg_status place_mask(struct dg_call *call, const struct attention *of,
                                 struct score_rows *rows)
{
    int64_t sizes[DG_RANK_MOST], rank = of->batch_rank + 2;
    struct dg_tensor whole = *of->scores, *both[] = {&whole, of->mask};
    const struct dg_tensor *tensors[] = {&whole, of->mask};
    int64_t step = of->mask->strides[of->mask->rank - 1];
    int dims[DG_RANK_MOST], common_rank;
    struct shape<2> shape;

    whole.rank = (int)rank;
    for (int d = 0; d < of->batch_rank; d++)
        whole.sizes[d] = of->batch[d];
    whole.sizes[rank - 2] = of->n_queries;
    whole.sizes[rank - 1] = of->n_keys;
    dg_contiguous_strides(whole.rank, whole.sizes, whole.strides);
    if (dg_broadcast(call, 2, both, &common_rank, sizes))
        return call->err->status;
    for (int d = 0; d < rank; d++) {
        if (common_rank != rank || sizes[d] != whole.sizes[d])
            return dg_call_fail(call, DG_ERR_FORMAT, "a mask that does not fit");
        dims[d] = d;
    }
    shape = joined<2>(tensors, dims, (int)rank - 1);
    rows->mask = {};
    rows->mask.rank = shape.rank;
    for (int d = 0; d < shape.rank; d++) {
        rows->mask.sizes[d] = divisor_of(shape.sizes[d]);
        rows->mask.strides[0][d] = shape.strides[1][d];
    }
    rows->mask_step = of->mask->sizes[of->mask->rank - 1] == 1 ? 0 : step;
    return DG_OK;
}

static enum dg_status weigh(struct dg_call *call, const struct attention *of)
{
    struct score_rows rows = {};

    rows.n_rows = of->n_batch * of->n_queries;
    rows.length = of->n_keys;
    rows.n_queries = of->n_queries;
    rows.causal = of->causal;
    if (!dg_tensor_count(of->scores))
        return of->log_sums ? fill_elements(call, of->log_sums, -INFINITY, 0) : DG_OK;
    if (rows.n_rows > INT32_MAX)
        return dg_call_fail(call, DG_ERR_DEVICE, "%lld queries",
                            (long long)rows.n_rows);
    if (of->mask && place_mask(call, of, &rows))
        return call->err->status;
    if (of->mask && of->mask->type == DG_TYPE_BOOL)
        rows.allowed = (const uint8_t *)dg_tensor_data(of->mask);
    return with_float(of->type, [&](auto element) {
        using T = decltype(element);
        using C = computed<T>;
        const C *added =
            of->mask && !rows.allowed ? (const C *)dg_tensor_data(of->mask) : NULL;

        return with_team(rows.length, [&](auto team) {
            constexpr int TEAM = decltype(team)::value;

            return launch(call, weigh_keys<TEAM, T>, team_blocks(rows.n_rows, TEAM),
                          THREADS, rows, (T *)dg_tensor_data(of->weights),
                          of->log_sums ? (C *)dg_tensor_data(of->log_sums) : NULL,
                          (const C *)dg_tensor_data(of->scores), added);
        });
    });
}

/* Two dimensions in the other order. */
static struct dg_tensor transposed(const struct dg_tensor *tensor)
{
    struct dg_tensor view = *tensor;
    int last = tensor->rank - 1;

    view.sizes[last] = tensor->sizes[last - 1];
    view.sizes[last - 1] = tensor->sizes[last];
    view.strides[last] = tensor->strides[last - 1];
    view.strides[last - 1] = tensor->strides[last];
    return view;
}

static enum dg_status attend(struct dg_call *call, struct attention *of,
                             const struct dg_tensor *out)
{
    int64_t sizes[3] = {of->n_batch, of->n_queries, of->n_keys};
    enum dg_type compute = of->type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32;
    struct dg_tensor keys = transposed(of->key);
    struct factor query = {}, key = {}, weights = {}, value = {};
    struct dg_memory *memory = call->context->memory;

    of->scores = dg_tensor_new(memory, compute, 3, sizes, call->err);
    of->weights =
        of->scores ? dg_tensor_new(memory, of->type, 3, sizes, call->err) : NULL;
    if (!of->weights ||
        take_factor(call, &query, of->query, of->type, of->batch_rank, of->batch) ||
        take_factor(call, &key, &keys, of->type, of->batch_rank, of->batch) ||
        multiply(call, of->scores, &query, &key, of->scale, 0) || weigh(call, of) ||
        take_factor(call, &weights, of->weights, of->type, 1, sizes) ||
        take_factor(call, &value, of->value, of->type, of->batch_rank, of->batch))
        return call->err->status;
    return multiply(call, out, &weights, &value, 1, 0);
}

/* A mask of truth values allows keys, or (`adds`) is added as numbers are. */
static enum dg_status take_mask(struct dg_call *call, struct attention *of,
                                struct dg_tensor *mask, bool adds)
{
    if (!mask)
        return DG_OK;
    if (!mask->rank)
        return dg_call_fail(call, DG_ERR_DEVICE, "a mask without dimensions");
    of->mask = mask->type == DG_TYPE_BOOL && !adds
                   ? dg_tensor_keep(mask)
                   : converted(call, mask,
                               of->type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32);
    return of->mask ? DG_OK : call->err->status;
}

static enum dg_status take_batch(struct dg_call *call, struct attention *of)
{
    struct dg_tensor heads[3] = {*of->query, *of->key, *of->value};
    struct dg_tensor *all[3] = {&heads[0], &heads[1], &heads[2]};

    for (struct dg_tensor &head : heads)
        head.rank -= 2;
    if (dg_broadcast(call, 3, all, &of->batch_rank, of->batch))
        return call->err->status;
    of->n_batch = 1;
    for (int d = 0; d < of->batch_rank; d++)
        of->n_batch *= of->batch[d];
    of->n_queries = of->query->sizes[of->query->rank - 2];
    of->n_keys = of->key->sizes[of->key->rank - 2];
    if (of->key->sizes[of->key->rank - 1] != of->query->sizes[of->query->rank - 1] ||
        of->value->sizes[of->value->rank - 2] != of->n_keys)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "queries, keys and values that differ");
    return DG_OK;
}

/* Heads of keys and values serve several of the queries: dimension -3 in two. */
static enum dg_status split_heads(struct dg_call *call, struct dg_tensor *tensor,
                                  int64_t n_heads, int64_t each)
{
    int at = tensor->rank - 3;
    bool shared = tensor->sizes[at] == n_heads;

    if (tensor->rank == DG_RANK_MOST ||
        (!shared && tensor->sizes[at] != n_heads * each))
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld heads for %lld queries",
                            (long long)tensor->sizes[at], (long long)(n_heads * each));
    for (int d = tensor->rank; d > at + 1; d--) {
        tensor->sizes[d] = tensor->sizes[d - 1];
        tensor->strides[d] = tensor->strides[d - 1];
    }
    tensor->rank++;
    tensor->sizes[at] = n_heads;
    tensor->sizes[at + 1] = shared ? 1 : each;
    tensor->strides[at + 1] = tensor->strides[at];
    tensor->strides[at] *= shared ? 1 : each;
    return DG_OK;
}

/* Where the schema has what is not the same everywhere; 0: nowhere. */
struct arguments {
    size_t mask, dropout, causal, scale, shared_heads;
};

/* What result 1 is. */
enum second { NOTHING, WEIGHTS, LOG_SUMS };

/* Query, key and value as they are. */
static enum dg_status take_parts(struct dg_call *call, struct attention *of,
                                 struct dg_tensor *parts,
                                 const struct arguments *arguments)
{
    for (size_t i = 0; i < 3; i++) {
        const struct dg_tensor *tensor = dg_arg_tensor(call, i);

        if (!tensor || tensor->rank < 2 || !dg_type_is_float(tensor->type) ||
            (i && tensor->type != parts[0].type))
            return dg_call_fail(call, DG_ERR_DEVICE, "attention of this kind");
        parts[i] = *tensor;
    }
    if (dg_arg_real(call, arguments->dropout, 0) != 0)
        return dg_call_fail(call, DG_ERR_DEVICE, "dropout draws random numbers");
    of->query = &parts[0];
    of->key = &parts[1];
    of->value = &parts[2];
    of->type = parts[0].type;
    of->causal = dg_arg_bool(call, arguments->causal, false);
    of->scale = dg_arg_real(call, arguments->scale,
                            1 / sqrt((double)parts[0].sizes[parts[0].rank - 1]));
    return DG_OK;
}

static enum dg_status share_heads(struct dg_call *call, struct dg_tensor *parts,
                                  const struct arguments *arguments)
{
    int64_t n_heads = parts[1].sizes[parts[1].rank - 3];
    int64_t each = n_heads ? parts[0].sizes[parts[0].rank - 3] / n_heads : 0;

    if (dg_arg_tensor(call, arguments->mask) ||
        parts[2].sizes[parts[2].rank - 3] != n_heads)
        return dg_call_fail(call, DG_ERR_DEVICE, "grouped heads of this kind");
    for (int i = 0; i < 3; i++) {
        if (split_heads(call, &parts[i], n_heads, each))
            return call->err->status;
    }
    return DG_OK;
}

/* Result `i`: the batch, then `rows` and `columns` (-1: none); heads that were split
 * become one again. */
static struct dg_tensor *make_result(struct dg_call *call, const struct attention *of,
                                     size_t i, enum dg_type type, bool shared,
                                     int64_t columns)
{
    int64_t sizes[DG_RANK_MOST + 2];
    int rank = of->batch_rank;

    memcpy(sizes, of->batch, sizeof(of->batch));
    if (shared) {
        rank--;
        sizes[rank - 1] *= sizes[rank];
    }
    sizes[rank++] = of->n_queries;
    if (columns >= 0)
        sizes[rank++] = columns;
    return dg_result(call, i, type, rank, sizes);
}

static enum dg_status attention(struct dg_call *call, struct arguments arguments,
                                enum second second)
{
    struct dg_tensor parts[3], *out, *weights = NULL;
    struct attention of = {};
    bool shared;

    if (take_parts(call, &of, parts, &arguments))
        return call->err->status;
    shared = arguments.shared_heads &&
             dg_arg_bool(call, arguments.shared_heads, false) && parts[0].rank > 2 &&
             parts[1].rank > 2 && parts[2].rank > 2;
    if (shared && share_heads(call, parts, &arguments))
        return call->err->status;
    if (take_batch(call, &of) ||
        take_mask(call, &of, dg_arg_tensor(call, arguments.mask), second == WEIGHTS))
        return call->err->status;
    out = make_result(call, &of, 0, of.type, shared, parts[2].sizes[parts[2].rank - 1]);
    if (out && second == LOG_SUMS)
        of.log_sums =
            make_result(call, &of, 1,
                        of.type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32, shared, -1);
    if (out && second == WEIGHTS)
        weights = make_result(call, &of, 1, of.type, shared, of.n_keys);
    if (!out || (second == LOG_SUMS && !of.log_sums) ||
        (second == WEIGHTS && !weights) || attend(call, &of, out))
        return call->err->status;
    if (!weights)
        return DG_OK;
    *of.weights = shaped(of.weights, weights->rank, weights->sizes, weights->strides);
    return copy_elements(call, weights, of.weights);
}

/* (query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa) */
enum dg_status dg_cuda_attention(struct dg_call *call)
{
    return attention(call, {3, 4, 5, 6, 7}, NOTHING);
}

/* ..., attn_mask, dropout_p, is_causal, dropout_mask, scale, enable_gqa) */
enum dg_status dg_cuda_attention_math(struct dg_call *call)
{
    if (dg_arg_tensor(call, 6))
        return dg_call_fail(call, DG_ERR_DEVICE, "attention with a dropout mask");
    return attention(call, {3, 4, 5, 7, 8}, WEIGHTS);
}

/* ..., dropout_p, is_causal, attn_mask, scale) */
enum dg_status dg_cuda_attention_flash(struct dg_call *call)
{
    return attention(call, {5, 3, 4, 6, 0}, LOG_SUMS);
}
