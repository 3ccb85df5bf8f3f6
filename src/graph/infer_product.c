/* Sizes of matrix products and of normalizations. */
#include <string.h>

#include "graph/infer_parts.h"

/* Two factors of a product. */
struct factors {
    const struct dg_known_tensor *left, *right;
};

static bool read_factors(const struct dg_infer_call *call, const char *left,
                         const char *right, struct factors *factors)
{
    factors->left = dg_infer_tensor(call, left);
    factors->right = dg_infer_tensor(call, right);
    return factors->left && factors->right;
}

static enum dg_inferred exact(const struct factors *factors)
{
    return factors->left->bounded || factors->right->bounded ? DG_INFER_RANK
                                                             : DG_INFER_SIZES;
}

static enum dg_inferred multiply(struct dg_infer_call *call,
                                 const struct factors *factors)
{
    if (factors->left->rank != 2 || factors->right->rank != 2 ||
        dg_infer_differ(factors->left, 1, factors->right, 0))
        return dg_infer_refuse(call);
    call->rank = 2;
    call->sizes[0] = factors->left->sizes[0];
    call->sizes[1] = factors->right->sizes[1];
    return exact(factors);
}

enum dg_inferred dg_infer_mm(struct dg_infer_call *call)
{
    struct factors factors;

    return read_factors(call, "self", "mat2", &factors) ? multiply(call, &factors)
                                                        : DG_INFER_NOTHING;
}

enum dg_inferred dg_infer_addmm(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, "self");
    struct factors factors;
    enum dg_inferred inferred;

    if (!read_factors(call, "mat1", "mat2", &factors))
        return DG_INFER_NOTHING;
    inferred = multiply(call, &factors);
    if (inferred != DG_INFER_SIZES || !self || self->bounded)
        return inferred;
    if (self->rank > 2)
        return dg_infer_refuse(call);
    for (int i = 0; i < self->rank; i++) {
        if (self->sizes[i] != 1 &&
            self->sizes[i] != call->sizes[call->rank - self->rank + i])
            return dg_infer_refuse(call);
    }
    return inferred;
}

enum dg_inferred dg_infer_bmm(struct dg_infer_call *call)
{
    struct factors factors;

    if (!read_factors(call, "self", "mat2", &factors))
        return DG_INFER_NOTHING;
    if (factors.left->rank != 3 || factors.right->rank != 3 ||
        dg_infer_differ(factors.left, 0, factors.right, 0) ||
        dg_infer_differ(factors.left, 2, factors.right, 1))
        return dg_infer_refuse(call);
    dg_infer_like(call, factors.left);
    call->sizes[2] = factors.right->sizes[2];
    return exact(&factors);
}

enum dg_inferred dg_infer_linear(struct dg_infer_call *call)
{
    struct factors factors;

    if (!read_factors(call, "input", "weight", &factors))
        return DG_INFER_NOTHING;
    if (!factors.left->rank || factors.right->rank != 2 ||
        dg_infer_differ(factors.left, factors.left->rank - 1, factors.right, 1))
        return dg_infer_refuse(call);
    dg_infer_like(call, factors.left);
    call->sizes[call->rank - 1] = factors.right->sizes[0];
    return exact(&factors);
}

/* Whether argument `name` is nothing, or one number for each channel. */
static bool is_per_channel(const struct dg_infer_call *call,
                           const struct dg_known_tensor *self, const char *name)
{
    const struct dg_known_tensor *one = dg_infer_tensor(call, name);

    return !one ||
           (one->rank == 1 && !dg_infer_differ(one, 0, self, self->rank > 1 ? 1 : 0));
}

/* The operand of a batch norm. */
static const struct dg_known_tensor *channels(const struct dg_infer_call *call,
                                              enum dg_inferred *inferred)
{
    static const char *const names[] = {"weight", "bias", "running_mean",
                                        "running_var"};
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);

    *inferred = self ? DG_INFER_SIZES : DG_INFER_NOTHING;
    for (size_t i = 0; self && self->rank && i < sizeof(names) / sizeof(*names); i++) {
        if (!is_per_channel(call, self, names[i]))
            *inferred = DG_INFER_REFUSED;
    }
    return self;
}

static enum dg_inferred norm(struct dg_infer_call *call, int64_t n_stats)
{
    enum dg_inferred inferred;
    const struct dg_known_tensor *self = channels(call, &inferred);

    if (inferred != DG_INFER_SIZES)
        return inferred == DG_INFER_REFUSED ? dg_infer_refuse(call) : inferred;
    if (!call->out)
        return dg_infer_like(call, self);
    call->rank = 1;
    call->sizes[0] = n_stats < 0 && self->rank > 1 ? self->sizes[1] : 0;
    return n_stats < 0 ? dg_infer_exact(self) : DG_INFER_SIZES;
}

/* In inference the results for mean and deviation are empty. */
enum dg_inferred dg_infer_batch_norm(struct dg_infer_call *call)
{
    return norm(call, 0);
}

enum dg_inferred dg_infer_batch_stats(struct dg_infer_call *call)
{
    return norm(call, -1);
}

/* Whether argument `name` is nothing, or has exactly these sizes. */
static bool has_sizes(const struct dg_infer_call *call, const char *name,
                      const int64_t *sizes, int rank)
{
    const struct dg_known_tensor *one = dg_infer_tensor(call, name);

    return !one || one->bounded ||
           (one->rank == rank &&
            !memcmp(one->sizes, sizes, (size_t)rank * sizeof(*sizes)));
}

enum dg_inferred dg_infer_layer_norm(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t shape[DG_RANK_MOST];
    int n = dg_infer_ints(call, "normalized_shape", shape);

    if (!self || n < 0)
        return DG_INFER_NOTHING;
    if (!n || n > self->rank || !has_sizes(call, "weight", shape, n) ||
        !has_sizes(call, "bias", shape, n))
        return dg_infer_refuse(call);
    for (int i = 0; !self->bounded && i < n; i++) {
        if (shape[i] != self->sizes[self->rank - n + i])
            return dg_infer_refuse(call);
    }
    dg_infer_like(call, self);
    for (int i = self->rank - n; call->out && i < self->rank; i++)
        call->sizes[i] = 1;
    return dg_infer_exact(self);
}

enum dg_inferred dg_infer_group_norm(struct dg_infer_call *call)
{
    const struct dg_known_tensor *self = dg_infer_tensor(call, NULL);
    int64_t n, c, groups;

    if (!self || !dg_infer_int(call, "N", 0, &n) || !dg_infer_int(call, "C", 0, &c) ||
        !dg_infer_int(call, "group", 0, &groups))
        return DG_INFER_NOTHING;
    if (self->rank < 2 || groups <= 0 || c % groups ||
        (!self->bounded && (self->sizes[0] != n || self->sizes[1] != c)) ||
        !is_per_channel(call, self, "weight") || !is_per_channel(call, self, "bias"))
        return dg_infer_refuse(call);
    if (!call->out)
        return dg_infer_like(call, self);
    call->rank = 2;
    call->sizes[0] = n;
    call->sizes[1] = groups;
    return dg_infer_exact(self);
}
