/* Sizes of lists put together and taken apart, and of what indices choose. */
#include <string.h>

#include "graph/infer_parts.h"

/* Item `i` of a list of tensors; NULL: not known. */
static const struct dg_known_tensor *item(const struct dg_infer_call *call, size_t i)
{
    const struct dg_known *known = &call->args->as.list.items[i];

    return known->kind == DG_ARG_TENSOR ? known->as.tensor : NULL;
}

/* Whether all items are known, and at least one is there. */
static bool has_items(const struct dg_infer_call *call)
{
    size_t n = call->args->kind == DG_ARG_LIST ? call->args->as.list.n_items : 0;

    for (size_t i = 0; i < n; i++) {
        if (!item(call, i))
            return false;
    }
    return n > 0;
}

/* Where two items differ that must not: in all dimensions but `dim`. */
static bool disagree(const struct dg_known_tensor *a, const struct dg_known_tensor *b,
                     int dim)
{
    for (int i = 0; i < a->rank; i++) {
        if (i != dim && dg_infer_differ(a, i, b, i))
            return true;
    }
    return false;
}

/* The item that the others must agree with: the first that has elements. Unlike torch,
 * the runtime asks nothing of items without any, and counts none of their sizes. */
static const struct dg_known_tensor *leader(const struct dg_infer_call *call)
{
    for (size_t i = 0; i < call->args->as.list.n_items; i++) {
        if (dg_infer_count(item(call, i)))
            return item(call, i);
    }
    return NULL;
}

/* The item whose sizes the result has but along the dimension: the last that is no
 * empty vector, be it without elements. */
static const struct dg_known_tensor *model(const struct dg_infer_call *call)
{
    for (size_t i = call->args->as.list.n_items; i-- > 0;) {
        if (item(call, i)->rank != 1 || dg_infer_count(item(call, i)))
            return item(call, i);
    }
    return item(call, 0);
}

enum dg_inferred dg_infer_cat(struct dg_infer_call *call)
{
    const struct dg_known_tensor *first, *like;
    bool bounded = false;
    int64_t dim, sum = 0;
    int at;

    if (!has_items(call) || !dg_infer_int(call, "dim", 0, &dim))
        return DG_INFER_NOTHING;
    like = model(call);
    first = leader(call) ? leader(call) : like;
    if (first->rank != like->rank)
        return DG_INFER_NOTHING;
    dg_infer_like(call, like);
    if (!dg_infer_dim(call, "dim", dim, first->rank, &at))
        return DG_INFER_REFUSED;
    for (size_t i = 0; i < call->args->as.list.n_items; i++) {
        const struct dg_known_tensor *one = item(call, i);

        bounded |= one->bounded;
        if (!dg_infer_count(one))
            continue;
        if (one->rank != first->rank || disagree(one, first, at) ||
            __builtin_add_overflow(sum, one->sizes[at], &sum))
            return dg_infer_refuse(call);
    }
    if (first->rank)
        call->sizes[at] = sum;
    return bounded ? DG_INFER_RANK : DG_INFER_SIZES;
}

enum dg_inferred dg_infer_stack(struct dg_infer_call *call)
{
    const struct dg_known_tensor *first;
    bool bounded = false;
    int64_t dim;
    int at;

    if (!has_items(call) || !dg_infer_int(call, "dim", 0, &dim))
        return DG_INFER_NOTHING;
    first = item(call, 0);
    if (first->rank == DG_RANK_MOST)
        return DG_INFER_NOTHING;
    if (!dg_infer_dim(call, "dim", dim, first->rank + 1, &at))
        return DG_INFER_REFUSED;
    for (size_t i = 0; i < call->args->as.list.n_items; i++) {
        bounded |= item(call, i)->bounded;
        if (item(call, i)->rank != first->rank || disagree(item(call, i), first, -1))
            return dg_infer_refuse(call);
    }
    call->rank = first->rank + 1;
    for (int i = 0; i < call->rank; i++)
        call->sizes[i] =
            i == at ? (int64_t)call->args->as.list.n_items : first->sizes[i - (i > at)];
    return bounded ? DG_INFER_RANK : DG_INFER_SIZES;
}

/* The dimension that is taken apart: of a tensor whose sizes are known. */
static enum dg_inferred begin(struct dg_infer_call *call, int *at)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t dim;

    if (!self || self->bounded || !dg_infer_int(call, "dim", 0, &dim))
        return DG_INFER_NOTHING;
    dg_infer_like(call, self);
    if (!self->rank)
        return dg_infer_refuse(call);
    return dg_infer_dim(call, "dim", dim, self->rank, at) ? DG_INFER_SIZES
                                                          : DG_INFER_REFUSED;
}

static enum dg_inferred refuse_number(const struct dg_infer_call *call, int64_t n)
{
    dg_print(call->why, "gives %lld results; the list of them has %zu", (long long)n,
             call->n_out);
    return DG_INFER_REFUSED;
}

enum dg_inferred dg_infer_split(struct dg_infer_call *call)
{
    int64_t size, left;
    int at;
    enum dg_inferred inferred = begin(call, &at);

    if (inferred != DG_INFER_SIZES)
        return inferred;
    if (!dg_infer_int(call, "split_size", 0, &size))
        return DG_INFER_NOTHING;
    left = call->sizes[at];
    if (size < 0 || (!size && left))
        return dg_infer_refuse(call);
    if (left <= size ? call->n_out != 1 : (int64_t)call->n_out != (left - 1) / size + 1)
        return refuse_number(call, left <= size ? 1 : (left - 1) / size + 1);
    left -= (int64_t)call->out * size;
    call->sizes[at] = left < size ? left : size;
    return DG_INFER_SIZES;
}

enum dg_inferred dg_infer_split_sizes(struct dg_infer_call *call)
{
    int64_t sizes[DG_RANK_MOST], sum = 0;
    int at, n = dg_infer_ints(call, "split_sizes", sizes);
    enum dg_inferred inferred = begin(call, &at);

    if (inferred != DG_INFER_SIZES || n < 0)
        return n < 0 ? DG_INFER_NOTHING : inferred;
    if ((size_t)n != call->n_out)
        return refuse_number(call, n);
    for (int i = 0; i < n; i++) {
        if (sizes[i] < 0 || __builtin_add_overflow(sum, sizes[i], &sum))
            return dg_infer_refuse(call);
    }
    if (sum != call->sizes[at])
        return dg_infer_refuse(call);
    call->sizes[at] = sizes[call->out];
    return DG_INFER_SIZES;
}

enum dg_inferred dg_infer_unbind(struct dg_infer_call *call)
{
    int at;
    enum dg_inferred inferred = begin(call, &at);

    if (inferred != DG_INFER_SIZES)
        return inferred;
    if (call->sizes[at] != (int64_t)call->n_out)
        return refuse_number(call, call->sizes[at]);
    call->rank--;
    for (int i = at; i < call->rank; i++)
        call->sizes[i] = call->sizes[i + 1];
    return DG_INFER_SIZES;
}

enum dg_inferred dg_infer_embedding(struct dg_infer_call *call)
{
    const struct dg_known_tensor *weight = dg_infer_tensor(call, "weight");
    const struct dg_known_tensor *indices = dg_infer_tensor(call, "indices");

    if (!weight || !indices || indices->rank == DG_RANK_MOST)
        return DG_INFER_NOTHING;
    if (weight->rank != 2)
        return dg_infer_refuse(call);
    dg_infer_like(call, indices);
    call->sizes[call->rank++] = weight->sizes[1];
    return weight->bounded ? DG_INFER_RANK : dg_infer_exact(indices);
}

/* Whether the dimension is there, and tensors that go with each other have one rank. */
static bool goes_along(const struct dg_infer_call *call,
                       const struct dg_known_tensor *self, const char *name)
{
    const struct dg_known_tensor *other = dg_infer_tensor(call, name);
    int rank = self->rank ? self->rank : 1;

    return !other || other->bounded || !dg_infer_count(other) ||
           rank == (other->rank ? other->rank : 1);
}

static enum dg_inferred look_along(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t dim;
    int at;

    if (!self || !dg_infer_int(call, "dim", 0, &dim))
        return DG_INFER_NOTHING;
    if (!dg_infer_dim(call, "dim", dim, self->rank, &at))
        return DG_INFER_REFUSED;
    return goes_along(call, self, "index") && goes_along(call, self, "src")
               ? DG_INFER_SIZES
               : dg_infer_refuse(call);
}

enum dg_inferred dg_infer_gather(struct dg_infer_call *call)
{
    enum dg_inferred inferred = look_along(call);

    return inferred != DG_INFER_SIZES
               ? inferred
               : dg_infer_like(call, dg_infer_tensor(call, "index"));
}

enum dg_inferred dg_infer_scatter(struct dg_infer_call *call)
{
    enum dg_inferred inferred = look_along(call);

    return inferred != DG_INFER_SIZES
               ? inferred
               : dg_infer_like(call, dg_infer_tensor(call, NULL));
}

enum dg_inferred dg_infer_index_select(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    const struct dg_known_tensor *index = dg_infer_tensor(call, "index");
    int64_t dim;
    int at;

    if (!self || !index || !dg_infer_int(call, "dim", 0, &dim))
        return DG_INFER_NOTHING;
    if (!dg_infer_dim(call, "dim", dim, self->rank, &at))
        return DG_INFER_REFUSED;
    if (index->rank > 1)
        return dg_infer_refuse(call);
    dg_infer_like(call, self);
    if (self->rank)
        call->sizes[at] = dg_infer_count(index);
    return index->bounded ? DG_INFER_RANK : dg_infer_exact(self);
}

/* What several indices give, whose places are the bits of *where; NOTHING: one of them
 * is a mask, or not known. */
static enum dg_inferred read_indices(const struct dg_infer_call *call,
                                     const struct dg_known *list, unsigned *where,
                                     int64_t *sizes, int *rank)
{
    struct dg_known args[DG_RANK_MOST];
    struct dg_infer_op op = {.n_inputs = 0};
    struct dg_infer_call all = {.op = &op, .args = args, .why = call->why};
    enum dg_inferred inferred;

    *where = 0;
    for (size_t i = 0; i < list->as.list.n_items; i++) {
        const struct dg_known *one = &list->as.list.items[i];

        if (one->kind == DG_ARG_NONE)
            continue;
        if (one->kind != DG_ARG_TENSOR || one->as.tensor->bounded ||
            one->as.tensor->type == DG_TYPE_BOOL || one->as.tensor->type == DG_TYPE_U8)
            return DG_INFER_NOTHING;
        args[op.n_inputs++] = *one;
        *where |= 1u << i;
    }
    inferred = op.n_inputs ? dg_infer_broadcast(&all) : DG_INFER_NOTHING;
    *rank = all.rank;
    memcpy(sizes, all.sizes, sizeof(all.sizes));
    return inferred;
}

/* Indices side by side are replaced by what they give; apart from each other it comes
 * first. */
enum dg_inferred dg_infer_index(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    const struct dg_known *list = dg_infer_arg(call, "indices");
    int64_t sizes[DG_RANK_MOST];
    unsigned where, first;
    enum dg_inferred inferred;
    bool together;
    int rank;

    if (!self || !list || list->kind != DG_ARG_LIST || self->bounded)
        return DG_INFER_NOTHING;
    if (list->as.list.n_items > (size_t)self->rank)
        return dg_infer_refuse(call);
    inferred = read_indices(call, list, &where, sizes, &rank);
    if (inferred != DG_INFER_SIZES || rank + self->rank > DG_RANK_MOST)
        return inferred == DG_INFER_REFUSED ? inferred : DG_INFER_NOTHING;
    first = where & -where;
    together = ((where + first) & where) == 0;
    call->rank = 0;
    for (int i = -1; i < self->rank; i++) {
        if (together ? i >= 0 && 1u << i == first : i < 0) {
            for (int k = 0; k < rank; k++)
                call->sizes[call->rank++] = sizes[k];
        }
        if (i >= 0 && !(where >> i & 1))
            call->sizes[call->rank++] = self->sizes[i];
    }
    return DG_INFER_SIZES;
}

/* A row of the first operand, which grows with each turn of a loop, is the second. */
enum dg_inferred dg_infer_copy_index(struct dg_infer_call *call)
{
    const struct dg_known_tensor *to = dg_infer_tensor(call, NULL);
    const struct dg_known_tensor *from = dg_infer_tensor(call, "copy_from");

    if (!to || !from)
        return DG_INFER_NOTHING;
    if (to->rank != from->rank + 1 || (!to->bounded && to->sizes[0] > 1))
        return dg_infer_refuse(call);
    for (int i = 0; i < from->rank; i++) {
        if (dg_infer_differ(to, i + 1, from, i))
            return dg_infer_refuse(call);
    }
    return DG_INFER_NOTHING;
}

/* In place, rows along one dimension are put: by a vector of indices. */
enum dg_inferred dg_infer_index_put(struct dg_infer_call *call)
{
    const struct dg_known *list = dg_infer_arg(call, "indices");
    size_t n = 0;

    for (size_t i = 0; list->kind == DG_ARG_LIST && i < list->as.list.n_items; i++) {
        const struct dg_known *one = &list->as.list.items[i];

        n += one->kind != DG_ARG_NONE;
        if (n > 1 || (one->kind == DG_ARG_TENSOR && one->as.tensor->rank != 1))
            return dg_infer_refuse(call);
    }
    return dg_infer_like(call, dg_infer_tensor(call, NULL));
}

enum dg_inferred dg_infer_topk(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t dim, k;
    int at;

    if (!self || !dg_infer_int(call, "dim", -1, &dim))
        return DG_INFER_NOTHING;
    if (!dg_infer_dim(call, "dim", dim, self->rank, &at))
        return DG_INFER_REFUSED;
    dg_infer_like(call, self);
    if (!dg_infer_int(call, "k", 0, &k))
        return DG_INFER_RANK;
    if (k < 0 || (!self->bounded && k > (self->rank ? self->sizes[at] : 1)))
        return dg_infer_refuse(call);
    if (self->rank)
        call->sizes[at] = k;
    return dg_infer_exact(self);
}
