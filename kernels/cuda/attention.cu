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
                                  const computed<T> *scores, const computed<T> *added)
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
        return DG_OK;
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

static enum dg_status take_mask(struct dg_call *call, struct attention *of,
                                struct dg_tensor *mask)
{
    if (!mask)
        return DG_OK;
    if (!mask->rank)
        return dg_call_fail(call, DG_ERR_DEVICE, "a mask without dimensions");
    of->mask = mask->type == DG_TYPE_BOOL
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

/* (query, key, value, attn_mask, dropout_p, is_causal, scale, enable_gqa) */
enum dg_status dg_cuda_attention(struct dg_call *call)
{
    struct dg_tensor parts[3], *out;
    struct attention of = {};
    int64_t sizes[DG_RANK_MOST + 2], n_heads, each;

    for (size_t i = 0; i < 3; i++) {
        const struct dg_tensor *tensor = dg_arg_tensor(call, i);

        if (!tensor || tensor->rank < 2 || !dg_type_is_float(tensor->type) ||
            (i && tensor->type != parts[0].type))
            return dg_call_fail(call, DG_ERR_DEVICE, "attention of this kind");
        parts[i] = *tensor;
    }
    if (dg_arg_real(call, 4, 0) != 0)
        return dg_call_fail(call, DG_ERR_DEVICE, "dropout draws random numbers");
    of.query = &parts[0];
    of.key = &parts[1];
    of.value = &parts[2];
    of.type = parts[0].type;
    of.causal = dg_arg_bool(call, 5, false);
    of.scale =
        dg_arg_real(call, 6, 1 / sqrt((double)parts[0].sizes[parts[0].rank - 1]));
    if (dg_arg_bool(call, 7, false) && parts[0].rank > 2 && parts[1].rank > 2 &&
        parts[2].rank > 2) {
        n_heads = parts[1].sizes[parts[1].rank - 3];
        each = n_heads ? parts[0].sizes[parts[0].rank - 3] / n_heads : 0;
        if (dg_arg_tensor(call, 3) || parts[2].sizes[parts[2].rank - 3] != n_heads)
            return dg_call_fail(call, DG_ERR_DEVICE, "grouped heads of this kind");
        for (struct dg_tensor &part : parts) {
            if (split_heads(call, &part, n_heads, each))
                return call->err->status;
        }
    }
    if (take_batch(call, &of) || take_mask(call, &of, dg_arg_tensor(call, 3)))
        return call->err->status;
    memcpy(sizes, of.batch, sizeof(of.batch));
    sizes[of.batch_rank] = of.n_queries;
    sizes[of.batch_rank + 1] = parts[2].sizes[parts[2].rank - 1];
    if (parts[0].rank > dg_arg_tensor(call, 0)->rank) { /* heads become one again */
        int at = parts[0].rank - 4;

        sizes[at] *= sizes[at + 1];
        sizes[at + 1] = sizes[at + 2];
        sizes[at + 2] = sizes[at + 3];
        out = dg_result(call, 0, of.type, of.batch_rank + 1, sizes);
    } else {
        out = dg_result(call, 0, of.type, of.batch_rank + 2, sizes);
    }
    return out ? attend(call, &of, out) : call->err->status;
}
