/* Elements written by index: scatter, scatter_reduce, index_add, put. */
#include <string.h>

#include "kernels/cpu/indexing.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

/* Where values go: a copy of `self`, and indices that were checked. */
struct target {
    struct dg_tensor *self, *out, *index; /* index: one share */
    struct dg_tensor to, at;              /* views with a dimension at least */
    int dim;
};

/* Prepare writing into result 0, a copy of argument 0. */
static enum dg_status open_target(struct dg_call *call, struct target *target,
                                  struct dg_tensor *index, int64_t dim, bool wrap)
{
    struct dg_tensor shape;

    target->index = NULL;
    target->self = dg_need_tensor(call, 0);
    if (!target->self || !index ||
        !dg_dimension(call, dim, target->self->rank, &target->dim))
        return call->err->status;
    shape = dg_as_vector(target->self);
    target->out = dg_result_copy(call, target->self);
    if (!target->out)
        return call->err->status;
    target->to = dg_as_vector(target->out);
    target->index =
        dg_checked_indices(call, index, target->dim, shape.sizes[target->dim], wrap);
    if (!target->index)
        return call->err->status;
    target->at = dg_as_vector(target->index);
    return DG_OK;
}

static enum dg_status refuse_shapes(struct dg_call *call, const struct target *target,
                                    const struct dg_tensor *src)
{
    char a[160], b[160], c[160];

    return dg_call_fail(
        call, DG_ERR_FORMAT,
        "indices of shape %s do not fit values of shape %s and an input "
        "of shape %s along dimension %d",
        dg_shape_text(&target->at, a, sizeof(a)), dg_shape_text(src, b, sizeof(b)),
        dg_shape_text(&target->to, c, sizeof(c)), target->dim);
}

/* The part of `src` that the indices cover, in the shape of the indices. */
static enum dg_status cover(struct dg_call *call, const struct target *target,
                            const struct dg_tensor *given, struct dg_tensor *src)
{
    const struct dg_tensor *at = &target->at;

    *src = dg_as_vector(given);
    if (!dg_indices_fit(call, at, &target->to, target->dim, src))
        return call->err->status;
    memcpy(src->sizes, at->sizes, sizeof(at->sizes));
    return DG_OK;
}

static bool same_type(struct dg_call *call, const struct dg_tensor *self,
                      const struct dg_tensor *src)
{
    if (self->type == src->type)
        return true;
    dg_call_fail(call, DG_ERR_FORMAT, "values of %s go into %s",
                 dg_type_name(src->type), dg_type_name(self->type));
    return false;
}

/* Write or merge `src`, in the shape of the indices; *merging NULL: write. */
static enum dg_status write_target(struct dg_call *call, struct target *target,
                                   struct dg_tensor *src,
                                   const struct dg_merging *merging)
{
    if (!same_type(call, target->self, src))
        return call->err->status;
    if (merging)
        return dg_merge_along(call, target->out, &target->to, target->dim, &target->at,
                              src, merging);
    dg_scatter_along(&target->to, target->dim, &target->at, src);
    return DG_OK;
}

/* self, dim, index, src, in the shape of index or larger. */
static enum dg_status scatter(struct dg_call *call, const struct dg_merging *merging)
{
    struct dg_tensor *index = dg_need_tensor(call, 2), *given = dg_need_tensor(call, 3);
    struct dg_tensor src;
    struct target target;
    enum dg_status status;

    if (!index || !given)
        return call->err->status;
    status = open_target(call, &target, index, dg_arg_int(call, 1, 0), false);
    if (!status && dg_tensor_count(target.index)) {
        status = cover(call, &target, given, &src);
        if (!status)
            status = write_target(call, &target, &src, merging);
    }
    dg_tensor_drop(target.index);
    return status;
}

/* self, dim, index, value: one number for each index. */
static enum dg_status scatter_value(struct dg_call *call,
                                    const struct dg_merging *merging)
{
    struct dg_tensor *index = dg_need_tensor(call, 2), src;
    struct target target;
    enum dg_status status;
    double _Complex bytes = 0;
    struct dg_storage storage = {(unsigned char *)&bytes, sizeof(bytes), 1, NULL};

    if (!index)
        return call->err->status;
    status = open_target(call, &target, index, dg_arg_int(call, 1, 0), false);
    if (!status && dg_tensor_count(target.index)) {
        src = (struct dg_tensor){.type = target.out->type, .storage = &storage};
        dg_scalar_bytes(call, 3, src.type, &bytes);
        src = dg_expanded(&src, target.at.rank, target.at.sizes);
        status = cover(call, &target, &src, &src);
        if (!status)
            status = write_target(call, &target, &src, merging);
    }
    dg_tensor_drop(target.index);
    return status;
}

/* What torch sums scatters in: f32 for 16 bits. */
static enum dg_type wider_steps(const struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    return self && dg_type_part(self->type) == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32;
}

/* index_add and index_put sum in the dtype itself. */
static enum dg_type own_steps(const struct dg_call *call)
{
    struct dg_tensor *self = dg_arg_tensor(call, 0);

    return self ? self->type : DG_TYPE_NONE;
}

static const struct {
    const char *name;
    enum dg_merge how;
} reductions[] = {
    {"sum", DG_MERGE_SUM},       {"add", DG_MERGE_SUM},   {"prod", DG_MERGE_PROD},
    {"multiply", DG_MERGE_PROD}, {"mean", DG_MERGE_MEAN}, {"amax", DG_MERGE_MAX},
    {"amin", DG_MERGE_MIN},
};

/* The reduction that string argument `i` names. */
static bool read_reduction(struct dg_call *call, size_t i, enum dg_merge *how)
{
    const char *name = i < call->n_args && call->args[i].kind == DG_ARG_STRING
                           ? call->args[i].as.string
                           : "";

    for (size_t k = 0; k < sizeof(reductions) / sizeof(*reductions); k++) {
        if (strcmp(reductions[k].name, name))
            continue;
        *how = reductions[k].how;
        return true;
    }
    dg_call_fail(call, DG_ERR_FORMAT, "reduction \"%.60s\" is not known", name);
    return false;
}

enum dg_status dg_cpu_scatter(struct dg_call *call)
{
    return scatter(call, NULL);
}

enum dg_status dg_cpu_scatter_value(struct dg_call *call)
{
    return scatter_value(call, NULL);
}

enum dg_status dg_cpu_scatter_add(struct dg_call *call)
{
    return scatter(call,
                   &(struct dg_merging){DG_MERGE_SUM, true, wider_steps(call), NULL});
}

/* aten::scatter.reduce: self, dim, index, src, reduce. */
enum dg_status dg_cpu_scatter_merge(struct dg_call *call)
{
    struct dg_merging merging = {DG_MERGE_SUM, true, wider_steps(call), NULL};

    return read_reduction(call, 4, &merging.how) ? scatter(call, &merging)
                                                 : call->err->status;
}

enum dg_status dg_cpu_scatter_value_merge(struct dg_call *call)
{
    struct dg_merging merging = {DG_MERGE_SUM, true, wider_steps(call), NULL};

    return read_reduction(call, 4, &merging.how) ? scatter_value(call, &merging)
                                                 : call->err->status;
}

/* aten::scatter_reduce.two: self, dim, index, src, reduce, include_self. */
enum dg_status dg_cpu_scatter_reduce(struct dg_call *call)
{
    struct dg_merging merging = {DG_MERGE_SUM, dg_arg_bool(call, 5, true),
                                 wider_steps(call), NULL};

    return read_reduction(call, 4, &merging.how) ? scatter(call, &merging)
                                                 : call->err->status;
}

/* self, dim, index (a vector), source: slices of the source go where the vector says.
 * A 0-d source stands for one element. */
static enum dg_status write_slices(struct dg_call *call,
                                   const struct dg_merging *merging)
{
    struct dg_tensor *index = dg_need_tensor(call, 2), *given = dg_need_tensor(call, 3);
    struct dg_tensor src;
    struct target target;
    enum dg_status status;

    if (!index || !given)
        return call->err->status;
    status = open_target(call, &target, index, dg_arg_int(call, 1, 0), false);
    if (!status) {
        src = dg_as_vector(given);
        if (target.at.rank != 1 || src.rank != target.to.rank ||
            src.sizes[target.dim] != target.at.sizes[0])
            status = refuse_shapes(call, &target, given);
    }
    if (!status && dg_tensor_count(&src)) {
        target.at = dg_spread_along(&target.at, target.dim, src.rank, src.sizes);
        status = cover(call, &target, &src, &src);
        if (!status)
            status = write_target(call, &target, &src, merging);
    }
    dg_tensor_drop(target.index);
    return status;
}

enum dg_status dg_cpu_index_copy(struct dg_call *call)
{
    return write_slices(call, NULL);
}

/* aten::index_add: self, dim, index, source, alpha. */
enum dg_status dg_cpu_index_add(struct dg_call *call)
{
    return write_slices(
        call, &(struct dg_merging){DG_MERGE_SUM, true, own_steps(call),
                                   dg_arg_missing(call, 4) ? NULL : &call->args[4]});
}

/* aten::index_reduce: self, dim, index, source, reduce, include_self. */
enum dg_status dg_cpu_index_reduce(struct dg_call *call)
{
    struct dg_merging merging = {DG_MERGE_SUM, dg_arg_bool(call, 5, true),
                                 own_steps(call), NULL};

    return read_reduction(call, 4, &merging.how) ? write_slices(call, &merging)
                                                 : call->err->status;
}

/* Every slice that the vector names becomes the one element of `value`. */
static enum dg_status fill_slices(struct dg_call *call, struct dg_tensor *value)
{
    struct dg_tensor *index = dg_need_tensor(call, 2), src;
    int64_t sizes[DG_RANK_MOST];
    struct target target;
    enum dg_status status;

    if (!index || !value)
        return call->err->status;
    status = open_target(call, &target, index, dg_arg_int(call, 1, 0), true);
    if (!status && target.at.rank != 1)
        status = refuse_shapes(call, &target, value);
    if (!status && dg_tensor_count(target.out) && target.at.sizes[0]) {
        memcpy(sizes, target.to.sizes, sizeof(sizes));
        sizes[target.dim] = target.at.sizes[0];
        src = dg_expanded(value, target.to.rank, sizes);
        target.at = dg_spread_along(&target.at, target.dim, src.rank, sizes);
        dg_scatter_along(&target.to, target.dim, &target.at, &src);
    }
    dg_tensor_drop(target.index);
    return status;
}

/* aten::index_fill: self, dim, index, value: a number, or a 0-d tensor. */
enum dg_status dg_cpu_index_fill(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *given = dg_arg_tensor(call, 3);
    double _Complex bytes = 0;
    struct dg_storage storage = {(unsigned char *)&bytes, sizeof(bytes), 1, NULL};
    struct dg_tensor value = {.storage = &storage};

    if (!self)
        return call->err->status;
    value.type = self->type;
    if (given && given->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "a value of rank %d; 0 is needed",
                            given->rank);
    if (given)
        dg_copy_elements(&value, given, 1);
    else
        dg_scalar_bytes(call, 3, value.type, &bytes);
    return fill_slices(call, &value);
}

/* aten::put: self, index, source, accumulate: as if all were flat. */
enum dg_status dg_cpu_put(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *index = dg_need_tensor(call, 1);
    struct dg_tensor *source = dg_need_tensor(call, 2), *src, *checked, *out, to, at;
    struct dg_merging merging = {DG_MERGE_SUM, true, own_steps(call), NULL};
    enum dg_status status = DG_OK;
    int64_t count, n;

    if (!self || !index || !source || !same_type(call, self, source))
        return call->err->status;
    count = dg_tensor_count(self);
    n = dg_tensor_count(index);
    if (dg_tensor_count(source) != n)
        return dg_call_fail(call, DG_ERR_FORMAT, "%lld indices for %lld values",
                            (long long)n, (long long)dg_tensor_count(source));
    out = dg_result_copy(call, self);
    checked = out ? dg_checked_indices(call, index, 0, count, true) : NULL;
    src = checked ? dg_flattened(call, source) : NULL;
    if (src && n) {
        to = dg_shaped(out, 1, &count, NULL);
        at = dg_shaped(checked, 1, &n, NULL);
        if (dg_arg_bool(call, 3, false))
            status = dg_merge_along(call, out, &to, 0, &at, src, &merging);
        else
            dg_scatter_along(&to, 0, &at, src);
    }
    if (!src)
        status = call->err->status;
    dg_tensor_drop(src);
    dg_tensor_drop(checked);
    return status;
}
