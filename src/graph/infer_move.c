/* Sizes of what copies elements to other places. */
#include "graph/infer_parts.h"

/* The dimension that argument `name` says; NOTHING: not known. */
static enum dg_inferred dim_of(const struct dg_infer_call *call, const char *name,
                               int64_t otherwise, int rank, int *at)
{
    int64_t dim;

    if (!dg_infer_int(call, name, otherwise, &dim))
        return DG_INFER_NOTHING;
    return dg_infer_dim(call, name, dim, rank, at) ? DG_INFER_SIZES : DG_INFER_REFUSED;
}

/* The first tensor's sizes are the result's so far, and *at is its dimension `dim`. */
static enum dg_inferred begin(struct dg_infer_call *call, int *at)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);

    if (dg_infer_like(call, self) == DG_INFER_NOTHING)
        return DG_INFER_NOTHING;
    return dim_of(call, "dim", 0, self->rank, at);
}

static enum dg_inferred finish(const struct dg_infer_call *call)
{
    return dg_infer_exact(dg_infer_tensor(call, NULL));
}

static void drop(struct dg_infer_call *call, int at)
{
    call->rank--;
    for (int i = at; i < call->rank; i++)
        call->sizes[i] = call->sizes[i + 1];
}

static bool insert(struct dg_infer_call *call, int at, int64_t size)
{
    if (call->rank == DG_RANK_MOST)
        return false;
    for (int i = call->rank++; i > at; i--)
        call->sizes[i] = call->sizes[i - 1];
    call->sizes[at] = size;
    return true;
}

enum dg_inferred dg_infer_view(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t count = 1, all = self ? dg_infer_count(self) : 0;
    int open = -1;

    call->rank = dg_infer_ints(call, "size", call->sizes);
    if (!self || call->rank < 0)
        return DG_INFER_NOTHING;
    if (self->bounded)
        return DG_INFER_RANK;
    for (int i = 0; i < call->rank; i++) {
        if (call->sizes[i] == -1 && open < 0)
            open = i;
        else if (call->sizes[i] < 0 ||
                 __builtin_mul_overflow(count, call->sizes[i], &count))
            return dg_infer_refuse(call);
    }
    if (open >= 0 && count > 0)
        call->sizes[open] = all / count, count *= call->sizes[open];
    if (count != all) {
        dg_print(call->why, "refuses to view %lld elements as %lld", (long long)all,
                 (long long)count);
        return DG_INFER_REFUSED;
    }
    return DG_INFER_SIZES;
}

/* Argument `name` has a number for each dimension of the result, which are those of the
 * first tensor behind *more others. */
static enum dg_inferred widen(struct dg_infer_call *call, const char *name, int *more)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);

    call->rank = dg_infer_ints(call, name, call->sizes);
    if (!self || call->rank < 0)
        return DG_INFER_NOTHING;
    *more = call->rank - self->rank;
    return *more < 0 ? dg_infer_refuse(call) : DG_INFER_SIZES;
}

enum dg_inferred dg_infer_expand(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int more;
    enum dg_inferred inferred = widen(call, "size", &more);

    if (inferred != DG_INFER_SIZES)
        return inferred;
    for (int i = 0; i < self->rank; i++) {
        int64_t *size = &call->sizes[more + i];

        if (*size == -1)
            *size = self->sizes[i];
        else if (!self->bounded && self->sizes[i] != 1 && *size != self->sizes[i])
            return dg_infer_refuse(call);
    }
    return finish(call);
}

enum dg_inferred dg_infer_repeat(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int more;
    enum dg_inferred inferred = widen(call, "repeats", &more);

    if (inferred != DG_INFER_SIZES)
        return inferred;
    for (int i = 0; i < self->rank; i++) {
        if (__builtin_mul_overflow(call->sizes[more + i], self->sizes[i],
                                   &call->sizes[more + i]))
            return DG_INFER_NOTHING;
    }
    return finish(call);
}

enum dg_inferred dg_infer_permute(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t dims[DG_RANK_MOST];
    int n = dg_infer_ints(call, "dims", dims), at;
    unsigned seen = 0;

    if (!self || n < 0)
        return DG_INFER_NOTHING;
    if (n != self->rank)
        return dg_infer_refuse(call);
    call->rank = n;
    for (int i = 0; i < n; i++) {
        if (!dg_infer_dim(call, "dim", dims[i], n, &at))
            return DG_INFER_REFUSED;
        if (seen >> at & 1)
            return dg_infer_refuse(call);
        seen |= 1u << at;
        call->sizes[i] = self->sizes[at];
    }
    return finish(call);
}

static enum dg_inferred swap(struct dg_infer_call *call, int a, int b)
{
    int64_t size = call->sizes[a];

    call->sizes[a] = call->sizes[b];
    call->sizes[b] = size;
    return finish(call);
}

enum dg_inferred dg_infer_transpose(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    enum dg_inferred first, second;
    int a, b;

    if (dg_infer_like(call, self) == DG_INFER_NOTHING)
        return DG_INFER_NOTHING;
    first = dim_of(call, "dim0", 0, self->rank, &a);
    if (first != DG_INFER_SIZES)
        return first;
    second = dim_of(call, "dim1", 0, self->rank, &b);
    return second != DG_INFER_SIZES || !self->rank ? second : swap(call, a, b);
}

enum dg_inferred dg_infer_turn(struct dg_infer_call *call)
{
    if (dg_infer_like(call, dg_infer_tensor(call, NULL)) == DG_INFER_NOTHING)
        return DG_INFER_NOTHING;
    if (call->rank > 2)
        return dg_infer_refuse(call);
    return call->rank == 2 ? swap(call, 0, 1) : finish(call);
}

enum dg_inferred dg_infer_unsqueeze(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    enum dg_inferred inferred;
    int at;

    if (dg_infer_like(call, self) == DG_INFER_NOTHING)
        return DG_INFER_NOTHING;
    inferred = dim_of(call, "dim", 0, self->rank + 1, &at);
    if (inferred != DG_INFER_SIZES)
        return inferred;
    return insert(call, at, 1) ? finish(call) : DG_INFER_NOTHING;
}

enum dg_inferred dg_infer_squeeze(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    enum dg_inferred inferred;
    unsigned dims;

    if (!self || self->bounded)
        return DG_INFER_NOTHING;
    inferred = dg_infer_dims(call, "dim", self->rank, &dims);
    if (inferred != DG_INFER_SIZES)
        return inferred;
    call->rank = 0;
    for (int i = 0; i < self->rank; i++) {
        if (self->sizes[i] != 1 || !(dims >> i & 1))
            call->sizes[call->rank++] = self->sizes[i];
    }
    return DG_INFER_SIZES;
}

static enum dg_inferred refuse_index(const struct dg_infer_call *call, int64_t index,
                                     int64_t size)
{
    dg_print(call->why, "refuses index %lld of %lld", (long long)index,
             (long long)size);
    return DG_INFER_REFUSED;
}

enum dg_inferred dg_infer_select(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t index;
    int at;
    enum dg_inferred inferred = begin(call, &at);

    if (inferred != DG_INFER_SIZES)
        return inferred;
    if (!self->rank)
        return dg_infer_refuse(call);
    if (!self->bounded && dg_infer_int(call, "index", 0, &index) &&
        (index < -self->sizes[at] || index >= self->sizes[at]))
        return refuse_index(call, index, self->sizes[at]);
    drop(call, at);
    return finish(call);
}

/* What is written into `self` has the sizes of the part that `inferred` is about. */
static enum dg_inferred scatter(struct dg_infer_call *call, enum dg_inferred inferred)
{
    const struct dg_known_tensor *src = dg_infer_tensor(call, "src");

    if (inferred == DG_INFER_NOTHING || inferred == DG_INFER_REFUSED)
        return inferred;
    if (src && src->rank != call->rank)
        return dg_infer_refuse(call);
    for (int i = 0;
         src && !src->bounded && inferred == DG_INFER_SIZES && i < call->rank; i++) {
        if (src->sizes[i] != call->sizes[i])
            return dg_infer_refuse(call);
    }
    return dg_infer_like(call, dg_infer_tensor(call, NULL));
}

enum dg_inferred dg_infer_select_scatter(struct dg_infer_call *call)
{
    return scatter(call, dg_infer_select(call));
}

/* One end of a slice, counted from 0 and not beyond the size. */
static int64_t clamped(int64_t at, int64_t size)
{
    if (at < 0)
        at += size;
    return at < 0 ? 0 : at > size ? size : at;
}

/* How many elements of a dimension of this size a slice takes; -1: not known; -2: the
 * step is none. */
static int64_t slice_length(const struct dg_infer_call *call, int64_t size)
{
    int64_t start, end, step;

    if (!dg_infer_int(call, "start", 0, &start) ||
        !dg_infer_int(call, "end", INT64_MAX, &end) ||
        !dg_infer_int(call, "step", 1, &step))
        return -1;
    if (step <= 0)
        return -2;
    start = clamped(start, size);
    end = clamped(end, size);
    return end <= start ? 0 : (end - start - 1) / step + 1;
}

enum dg_inferred dg_infer_slice(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t length;
    int at;
    enum dg_inferred inferred = begin(call, &at);

    if (inferred != DG_INFER_SIZES)
        return inferred;
    if (!self->rank)
        return dg_infer_refuse(call);
    length = slice_length(call, self->sizes[at]);
    if (length == -2) {
        dg_print(call->why, "refuses a step that is not positive");
        return DG_INFER_REFUSED;
    }
    if (length < 0)
        return DG_INFER_RANK;
    call->sizes[at] = length;
    return finish(call);
}

enum dg_inferred dg_infer_slice_scatter(struct dg_infer_call *call)
{
    return scatter(call, dg_infer_slice(call));
}

enum dg_inferred dg_infer_narrow(struct dg_infer_call *call)
{
    int64_t length;
    int at;
    enum dg_inferred inferred = begin(call, &at);

    if (inferred != DG_INFER_SIZES)
        return inferred;
    if (!call->rank)
        return dg_infer_refuse(call);
    if (!dg_infer_int(call, "length", 0, &length))
        return DG_INFER_RANK;
    call->sizes[at] = length;
    return finish(call);
}

enum dg_inferred dg_infer_unfold(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t dim, size, step;
    int at;

    if (dg_infer_like(call, self) == DG_INFER_NOTHING ||
        !dg_infer_int(call, "dimension", 0, &dim) ||
        !dg_infer_int(call, "size", 0, &size) || !dg_infer_int(call, "step", 1, &step))
        return DG_INFER_NOTHING;
    if (!dg_infer_dim(call, "dimension", dim, self->rank, &at))
        return DG_INFER_REFUSED;
    if (!self->rank || self->bounded || !insert(call, call->rank, size))
        return DG_INFER_NOTHING;
    if (size < 0 || step <= 0 || size > self->sizes[at])
        return dg_infer_refuse(call);
    call->sizes[at] = (self->sizes[at] - size) / step + 1;
    return DG_INFER_SIZES;
}

enum dg_inferred dg_infer_diagonal(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t offset, rows, columns, length;
    int a, b;
    enum dg_inferred first, second;

    if (dg_infer_like(call, self) == DG_INFER_NOTHING)
        return DG_INFER_NOTHING;
    first = dim_of(call, "dim1", 0, self->rank, &a);
    second = first == DG_INFER_SIZES ? dim_of(call, "dim2", 1, self->rank, &b) : first;
    if (second != DG_INFER_SIZES || !dg_infer_int(call, "offset", 0, &offset))
        return second == DG_INFER_REFUSED ? second : DG_INFER_NOTHING;
    if (a == b)
        return dg_infer_refuse(call);
    rows = self->sizes[a] + (offset < 0 ? offset : 0);
    columns = self->sizes[b] - (offset > 0 ? offset : 0);
    length = rows < columns ? rows : columns;
    drop(call, a > b ? a : b);
    drop(call, a > b ? b : a);
    insert(call, call->rank, length > 0 ? length : 0);
    return finish(call);
}

/* The dim order that is asked for is the result's; that of the operand without one. */
enum dg_inferred dg_infer_in_order(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    const struct dg_known_tensor *out = dg_infer_tensor(call, "out");
    const struct dg_known *asked = dg_infer_arg(call, "dim_order");
    int64_t order[DG_RANK_MOST];
    int n = dg_infer_ints(call, "dim_order", order);
    bool given = asked && asked->kind == DG_ARG_LIST;

    if (self && given && asked->as.list.n_items != (size_t)self->rank)
        return dg_infer_refuse(call);
    if (self && out && self->rank == out->rank && n >= 0) {
        for (int i = 0; i < self->rank; i++) {
            if (out->order[i] == (given ? order[i] : self->order[i]))
                continue;
            dg_print(call->why, "asks for another dim order than its result has");
            return DG_INFER_REFUSED;
        }
    }
    return dg_infer_like(call, self);
}
