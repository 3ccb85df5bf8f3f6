/* Elements that index tensors name: reading and writing them. */
#include "kernels/cpu/indexing.h"

#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

static bool is_index_type(enum dg_type type)
{
    return dg_type_is_integer(type) && type != DG_TYPE_U64;
}

struct dg_tensor *dg_checked_indices(struct dg_call *call, struct dg_tensor *index,
                                     int dim, int64_t size, bool wrap)
{
    struct dg_tensor *checked;
    int64_t *values, count;

    if (!is_index_type(index->type)) {
        dg_call_fail(call, DG_ERR_FORMAT, "indices are %s; integers are needed",
                     dg_type_name(index->type));
        return NULL;
    }
    checked = dg_tensor_new(call->context->memory, DG_TYPE_I64, index->rank,
                            index->sizes, call->err);
    if (!checked)
        return NULL;
    dg_copy_elements(checked, index, call->context->n_threads);
    values = dg_tensor_data(checked);
    count = dg_tensor_count(checked);
    for (int64_t i = 0; i < count; i++) {
        if (values[i] < (wrap ? -size : 0) || values[i] >= size) {
            dg_call_fail(call, DG_ERR_FORMAT,
                         "index %lld is out of range for dimension %d of size %lld",
                         (long long)values[i], dim, (long long)size);
            dg_tensor_drop(checked);
            return NULL;
        }
        values[i] += values[i] < 0 ? size : 0;
    }
    return checked;
}

/* Shapes as vectors: a 0-d tensor has room for one index. */
static bool covers(const struct dg_tensor *shape, const struct dg_tensor *at, int dim)
{
    struct dg_tensor whole = dg_as_vector(shape), part = dg_as_vector(at);
    bool fits = whole.rank == part.rank;

    for (int d = 0; fits && d < part.rank; d++)
        fits = d == dim || part.sizes[d] <= whole.sizes[d];
    return fits;
}

bool dg_indices_fit(struct dg_call *call, const struct dg_tensor *at,
                    const struct dg_tensor *to, int dim, const struct dg_tensor *src)
{
    char a[160], b[160] = "", c[160];

    if (!dg_tensor_count(at) || (covers(to, at, dim) && (!src || covers(src, at, -1))))
        return true;
    dg_call_fail(call, DG_ERR_FORMAT,
                 "indices of shape %s do not fit %s%s%sa tensor of shape %s along "
                 "dimension %d",
                 dg_shape_text(at, a, sizeof(a)), src ? "values of shape " : "",
                 src ? dg_shape_text(src, b, sizeof(b)) : b, src ? " and " : "",
                 dg_shape_text(to, c, sizeof(c)), dim);
    return false;
}

struct dg_tensor dg_as_vector(const struct dg_tensor *tensor)
{
    struct dg_tensor vector = *tensor;

    if (!vector.rank) {
        vector.rank = 1;
        vector.sizes[0] = vector.strides[0] = 1;
    }
    return vector;
}

struct dg_tensor dg_spread_along(const struct dg_tensor *index, int dim, int rank,
                                 const int64_t *sizes)
{
    struct dg_tensor vector = dg_as_vector(index);
    int64_t strides[DG_RANK_MOST] = {0};

    strides[dim] = vector.strides[0];
    return dg_shaped(index, rank, sizes, strides);
}

/* Along a line of indices: the elements that they name are `step` apart. */
struct reach {
    size_t bytes;
    int64_t step;
};

static void gather_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    const struct reach *reach = data;
    const int64_t *index = (const int64_t *)(void *)at[1];
    int64_t bytes = (int64_t)reach->bytes;

    if (!strides[1]) {
        dg_move_line(reach->bytes, at[0], strides[0],
                     at[2] + *index * reach->step * bytes, strides[2], n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t from = index[i * strides[1]] * reach->step + i * strides[2];

        dg_move_line(reach->bytes, at[0] + i * strides[0] * bytes, 1,
                     at[2] + from * bytes, 1, 1);
    }
}

/* `tensor` at index 0 of `dim`, as often as `shape` has positions. */
static struct dg_tensor standing(const struct dg_tensor *tensor, int dim,
                                 const struct dg_tensor *shape)
{
    struct dg_tensor line =
        dg_shaped(tensor, shape->rank, shape->sizes, tensor->strides);

    line.strides[dim] = 0;
    return line;
}

void dg_gather_along(struct dg_tensor *out, const struct dg_tensor *self, int dim,
                     struct dg_tensor *index, int n_threads)
{
    struct dg_tensor from = standing(self, dim, index);
    struct reach reach = {dg_type_bytes(out->type), self->strides[dim]};
    struct dg_walk walk;

    dg_walk_begin(&walk, 3, (struct dg_tensor *[]){out, index, &from});
    dg_walk_lines(&walk, n_threads, gather_line, &reach);
}

static void scatter_line(void *data, char *const *at, const int64_t *strides, int64_t n)
{
    const struct reach *reach = data;
    const int64_t *index = (const int64_t *)(void *)at[1];
    int64_t bytes = (int64_t)reach->bytes;

    if (!strides[1] && strides[0]) {
        dg_move_line(reach->bytes, at[0] + *index * reach->step * bytes, strides[0],
                     at[2], strides[2], n);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t to = index[i * strides[1]] * reach->step + i * strides[0];

        dg_move_line(reach->bytes, at[0] + to * bytes, 1,
                     at[2] + i * strides[2] * bytes, 1, 1);
    }
}

void dg_scatter_along(const struct dg_tensor *to, int dim, struct dg_tensor *index,
                      struct dg_tensor *src)
{
    struct dg_tensor line = standing(to, dim, index);
    struct reach reach = {dg_type_bytes(to->type), to->strides[dim]};
    struct dg_walk walk;

    dg_walk_begin(&walk, 3, (struct dg_tensor *[]){&line, index, src});
    dg_walk_lines(&walk, 1, scatter_line, &reach);
}
