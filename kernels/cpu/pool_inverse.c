/* max_unpool: elements go back to where max pooling took them from. */
#include <string.h>

#include "kernels/cpu/movement.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/window.h"

/* Of several elements for one place the last stays. */
static enum dg_status scatter(struct dg_call *call, const struct dg_planes *planes,
                              const struct dg_tensor *from,
                              const struct dg_tensor *indices,
                              const struct dg_tensor *out)
{
    const char *values = dg_tensor_data(from);
    const int64_t *places = dg_tensor_data(indices);
    char *to = dg_tensor_data(out);
    size_t bytes = dg_type_bytes(out->type);
    int64_t n = dg_tensor_count(from);

    for (int64_t i = 0; i < n; i++) {
        int64_t plane = i / planes->in_count;

        if (places[i] < 0 || places[i] >= planes->out_count)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "index %lld in planes of %lld elements",
                                (long long)places[i], (long long)planes->out_count);
        memcpy(to + (size_t)(plane * planes->out_count + places[i]) * bytes,
               values + (size_t)i * bytes, bytes);
    }
    return DG_OK;
}

static enum dg_status run(struct dg_call *call, const struct dg_planes *planes,
                          struct dg_tensor *self, struct dg_tensor *indices)
{
    struct dg_tensor *out = dg_result(call, 0, self->type, planes->rank, planes->sizes);
    struct dg_tensor *from = out ? dg_as_type(call, self, out->type) : NULL;
    struct dg_tensor *places = from ? dg_contiguous(call, indices) : NULL;
    enum dg_status status = call->err->status;

    if (places) {
        dg_zero_elements(out);
        status = scatter(call, planes, from, places, out);
    }
    dg_tensor_drop(places);
    dg_tensor_drop(from);
    return status;
}

/* self, indices, output_size; in 3 dimensions also stride and padding, which decided
 * output_size. */
static enum dg_status unpool(struct dg_call *call, int n_space)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    struct dg_tensor *indices = dg_need_tensor(call, 1);
    int64_t sizes[DG_SPACE_MOST];
    struct dg_planes planes;
    enum dg_status status;
    int n;

    if (!self || !indices)
        return call->err->status;
    status = dg_planes_begin(&planes, call, self, n_space);
    if (status)
        return status;
    n = dg_arg_ints(call, 2, sizes, DG_SPACE_MOST);
    if (n != n_space || indices->type != DG_TYPE_I64 ||
        !dg_tensor_same_shape(self, indices))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "indices of %s and rank %d to %d dimensions",
                            dg_type_name(indices->type), indices->rank, n);
    for (int i = 0; i < n; i++)
        planes.out[DG_SPACE_MOST - n + i] = sizes[i];
    dg_planes_end(&planes, n_space);
    return run(call, &planes, self, indices);
}

enum dg_status dg_cpu_max_unpool2d(struct dg_call *call)
{
    return unpool(call, 2);
}

enum dg_status dg_cpu_max_unpool3d(struct dg_call *call)
{
    return unpool(call, 3);
}
