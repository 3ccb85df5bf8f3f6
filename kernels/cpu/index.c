/* aten::index and aten::index_put: index tensors for several dimensions at once. */
#include <string.h>

#include "kernels/cpu/indexing.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

/* The indices of a call: for each dimension of `self` integers, or none. */
struct indices {
    const struct dg_tensor *self;
    struct dg_tensor columns[DG_RANK_MOST];
    bool has[DG_RANK_MOST];
    struct dg_tensor *held[DG_RANK_MOST]; /* columns made from masks */
    int n_dims, n_held;
};

/* What they address: [before][positions][behind], positions by their offsets. */
struct region {
    struct dg_tensor
        flat; /* over `self`; the positions are one dimension of stride 1 */
    int dim;  /* that one */
    struct dg_tensor *offsets, at;   /* at: the offsets for each element of `flat` */
    int64_t sizes[2 * DG_RANK_MOST]; /* of the result, positions in their own shape */
    int rank;
};

static enum dg_status too_many(struct dg_call *call, const struct indices *indices)
{
    return dg_call_fail(call, DG_ERR_FORMAT, "too many indices for a tensor of rank %d",
                        indices->self->rank);
}

/* A mask names the positions where it is true, one column for each dimension of it. */
static enum dg_status add_mask(struct dg_call *call, struct indices *indices,
                               struct dg_tensor *mask)
{
    struct dg_tensor *where;

    if (!mask->rank)
        return dg_call_fail(call, DG_ERR_DEVICE, "a mask of rank 0 as an index");
    if (indices->n_dims + mask->rank > indices->self->rank)
        return too_many(call, indices);
    for (int d = 0; d < mask->rank; d++) {
        int64_t size = indices->self->sizes[indices->n_dims + d];

        if (mask->sizes[d] != size)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "a mask of size %lld in dimension %d, where the input "
                                "has %lld",
                                (long long)mask->sizes[d], d, (long long)size);
    }
    where = dg_nonzero(call, mask);
    if (!where)
        return call->err->status;
    indices->held[indices->n_held++] = where;
    for (int d = 0; d < mask->rank; d++) {
        struct dg_tensor *column = &indices->columns[indices->n_dims];

        *column = dg_shaped(where, 1, where->sizes, where->strides);
        column->offset = d;
        indices->has[indices->n_dims++] = true;
    }
    return DG_OK;
}

static enum dg_status read_indices(struct dg_call *call, struct indices *indices)
{
    size_t n;
    struct dg_tensor **tensors = dg_arg_tensors(call, 1, &n);
    enum dg_status status = DG_OK;

    for (size_t i = 0; !status && i < n; i++) {
        if (tensors[i] &&
            (tensors[i]->type == DG_TYPE_BOOL || tensors[i]->type == DG_TYPE_U8)) {
            status = add_mask(call, indices, tensors[i]);
            continue;
        }
        if (indices->n_dims == indices->self->rank)
            return too_many(call, indices);
        if (tensors[i]) {
            indices->columns[indices->n_dims] = *tensors[i];
            indices->has[indices->n_dims] = true;
        }
        indices->n_dims++;
    }
    return status;
}

static void add_offsets(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    int64_t stride = *(const int64_t *)data;
    int64_t *offset = (int64_t *)(void *)at[0];
    const int64_t *index = (const int64_t *)(void *)at[1];

    for (int64_t i = 0; i < n; i++)
        offset[i * strides[0]] += index[i * strides[1]] * stride;
}

/* Add what the indices of one dimension contribute to the offset of each position. */
static enum dg_status add_column(struct dg_call *call, const struct indices *indices,
                                 int dim, struct dg_tensor *offsets)
{
    struct dg_tensor column = indices->columns[dim], expanded;
    struct dg_tensor *checked =
        dg_checked_indices(call, &column, dim, indices->self->sizes[dim], true);
    int64_t stride = indices->self->strides[dim];
    struct dg_walk walk;

    if (!checked)
        return call->err->status;
    expanded = dg_expanded(checked, offsets->rank, offsets->sizes);
    dg_walk_begin(&walk, 2, (struct dg_tensor *[]){offsets, &expanded});
    dg_walk_lines(&walk, call->context->n_threads, add_offsets, &stride);
    dg_tensor_drop(checked);
    return DG_OK;
}

/* The common shape of all index tensors, with an offset for each position. */
static struct dg_tensor *make_offsets(struct dg_call *call, struct indices *indices)
{
    struct dg_tensor *columns[DG_RANK_MOST] = {NULL}, *offsets;
    int64_t sizes[DG_RANK_MOST];
    enum dg_status status;
    int rank;

    for (int dim = 0; dim < indices->n_dims; dim++)
        columns[dim] = indices->has[dim] ? &indices->columns[dim] : NULL;
    if (dg_broadcast(call, indices->n_dims, columns, &rank, sizes))
        return NULL;
    offsets = dg_tensor_new(call->context->memory, DG_TYPE_I64, rank, sizes, call->err);
    if (!offsets)
        return NULL;
    dg_zero_elements(offsets);
    status = DG_OK;
    for (int dim = 0; !status && dim < indices->n_dims; dim++) {
        if (indices->has[dim])
            status = add_column(call, indices, dim, offsets);
    }
    if (!status)
        return offsets;
    dg_tensor_drop(offsets);
    return NULL;
}

/* Where positions stand among the dimensions that stay: in place of the indexed ones
 * when those are neighbours, else in front. */
static int place_of_positions(const struct indices *indices)
{
    int first = 0, end = indices->n_dims;

    while (first < end && !indices->has[first])
        first++;
    while (end > first && !indices->has[end - 1])
        end--;
    for (int dim = first; dim < end; dim++) {
        if (!indices->has[dim])
            return 0;
    }
    return first;
}

static void add_size(struct region *region, int64_t size, int64_t stride)
{
    region->flat.sizes[region->flat.rank] = size;
    region->flat.strides[region->flat.rank++] = stride;
}

static void add_positions(struct region *region)
{
    region->dim = region->flat.rank;
    add_size(region, dg_tensor_count(region->offsets), 1);
    for (int d = 0; d < region->offsets->rank; d++)
        region->sizes[region->rank++] = region->offsets->sizes[d];
}

static void lay_out(struct region *region, const struct indices *indices)
{
    const struct dg_tensor *self = indices->self;
    int place = place_of_positions(indices), kept = 0;
    struct dg_tensor at;

    region->flat = dg_shaped(self, 0, NULL, NULL);
    for (int dim = 0; dim < self->rank; dim++) {
        if (indices->has[dim])
            continue;
        if (kept++ == place)
            add_positions(region);
        add_size(region, self->sizes[dim], self->strides[dim]);
        region->sizes[region->rank++] = self->sizes[dim];
    }
    if (kept <= place)
        add_positions(region);
    at = dg_shaped(region->offsets, 1, &region->flat.sizes[region->dim], NULL);
    region->at =
        dg_spread_along(&at, region->dim, region->flat.rank, region->flat.sizes);
}

static void close_indices(struct indices *indices, struct region *region)
{
    for (int i = 0; i < indices->n_held; i++)
        dg_tensor_drop(indices->held[i]);
    dg_tensor_drop(region->offsets);
}

/* What argument 1 addresses of `self`. */
static enum dg_status open_region(struct dg_call *call, const struct dg_tensor *self,
                                  struct indices *indices, struct region *region)
{
    enum dg_status status;
    bool any = false;

    *indices = (struct indices){.self = self};
    *region = (struct region){0};
    status = read_indices(call, indices);
    if (status)
        return status;
    for (int dim = 0; dim < indices->n_dims; dim++)
        any = any || indices->has[dim];
    if (!any)
        return dg_call_fail(call, DG_ERR_DEVICE, "no index tensor");
    region->offsets = make_offsets(call, indices);
    if (!region->offsets)
        return call->err->status;
    lay_out(region, indices);
    return DG_OK;
}

/* aten::index.Tensor: self, indices. */
enum dg_status dg_cpu_index(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *out = NULL, to;
    struct indices indices;
    struct region region;

    if (!self)
        return call->err->status;
    if (!open_region(call, self, &indices, &region))
        out = dg_result(call, 0, self->type, region.rank, region.sizes);
    if (out) {
        to = dg_shaped(out, region.flat.rank, region.flat.sizes, NULL);
        dg_gather_along(&to, &region.flat, region.dim, &region.at,
                        call->context->n_threads);
    }
    close_indices(&indices, &region);
    return out ? DG_OK : call->err->status;
}

/* `values` in the shape of the region, flat positions: one share. NULL: failed. */
static struct dg_tensor *spread_values(struct dg_call *call, struct dg_tensor *values,
                                       const struct region *region)
{
    int64_t strides[DG_RANK_MOST];
    struct dg_tensor shape = {.rank = region->rank}, wide, *whole, *packed;
    char a[200], b[200];
    bool fits = region->rank <= DG_RANK_MOST;
    int64_t sizes[DG_RANK_MOST];
    int rank;

    if (fits) {
        memcpy(shape.sizes, region->sizes, sizeof(shape.sizes));
        fits = !dg_broadcast(call, 2, (struct dg_tensor *[]){values, &shape}, &rank,
                             sizes) &&
               rank == shape.rank &&
               !memcmp(sizes, shape.sizes, (size_t)rank * sizeof(*sizes));
    }
    if (!fits) {
        dg_call_fail(
            call, DG_ERR_FORMAT, "values of shape %s do not fit indices of shape %s",
            dg_shape_text(values, a, sizeof(a)), dg_shape_text(&shape, b, sizeof(b)));
        return NULL;
    }
    wide = dg_expanded(values, region->rank, region->sizes);
    whole = dg_tensor_view(values, wide.rank, wide.sizes, wide.strides, wide.offset);
    if (!dg_reshape_strides(whole, region->flat.rank, region->flat.sizes, strides)) {
        packed = dg_contiguous(call, whole);
        dg_tensor_drop(whole);
        whole = packed;
        dg_contiguous_strides(region->flat.rank, region->flat.sizes, strides);
    }
    packed = whole ? dg_tensor_view(whole, region->flat.rank, region->flat.sizes,
                                    strides, whole->offset)
                   : NULL;
    dg_tensor_drop(whole);
    return packed;
}

static enum dg_status put_values(struct dg_call *call, struct dg_tensor *out,
                                 struct region *region, struct dg_tensor *values)
{
    struct dg_tensor *src = spread_values(call, values, region);
    struct dg_merging merging = {DG_MERGE_SUM, true, out->type, NULL};
    enum dg_status status = src ? DG_OK : call->err->status;

    if (src) {
        if (dg_arg_bool(call, 3, false))
            status = dg_merge_along(call, out, &region->flat, region->dim, &region->at,
                                    src, &merging);
        else
            dg_scatter_along(&region->flat, region->dim, &region->at, src);
    }
    dg_tensor_drop(src);
    return status;
}

/* aten::index_put: self, indices, values, accumulate. */
enum dg_status dg_cpu_index_put(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *values = dg_need_tensor(call, 2);
    struct dg_tensor *out;
    struct indices indices;
    struct region region;
    enum dg_status status;

    if (!self || !values)
        return call->err->status;
    if (self->type != values->type)
        return dg_call_fail(call, DG_ERR_FORMAT, "values of %s go into %s",
                            dg_type_name(values->type), dg_type_name(self->type));
    out = dg_result_copy(call, self);
    if (!out)
        return call->err->status;
    status = open_region(call, out, &indices, &region);
    if (!status)
        status = put_values(call, out, &region, values);
    close_indices(&indices, &region);
    return status;
}
