/* Copies, casts and fills. */
#include "kernels/cuda/convert.cuh"

#include "kernels/cuda/map.cuh"

struct same {
    template <class C> __device__ C operator()(C x) const
    {
        return x;
    }
};

/* torch converts f64 to 16 bits by way of f32, and so do these stores. */
template <class To>
static enum dg_status cast_elements(struct dg_call *call, const struct dg_tensor *to,
                                    const struct dg_tensor *from)
{
    return with_number(from->type, [&](auto element) {
        return map<To, decltype(element)>(call, same(), to, input_tensor(from));
    });
}

enum dg_status copy_elements(struct dg_call *call, const struct dg_tensor *to,
                             const struct dg_tensor *from)
{
    enum dg_status status;

    if (to->type == from->type)
        return with_word(to->type, [&](auto word) {
            return map<decltype(word), decltype(word)>(call, same(), to,
                                                       input_tensor(from));
        });
    status = with_number(to->type, [&](auto element) {
        return cast_elements<decltype(element)>(call, to, from);
    });
    if (status && !call->err->status)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "%s to %s is converted on the host only",
                            dg_type_name(from->type), dg_type_name(to->type));
    return status;
}

enum dg_status fill_elements(struct dg_call *call, const struct dg_tensor *to,
                             double real, int64_t integer)
{
    enum dg_status status = with_number(to->type, [&](auto element) {
        return map<decltype(element), decltype(element)>(call, same(), to,
                                                         input_number(real, integer));
    });

    if (status && !call->err->status)
        return dg_call_fail(call, DG_ERR_DEVICE, "%s is filled on the host only",
                            dg_type_name(to->type));
    return status;
}

static struct dg_tensor *copied(struct dg_call *call, struct dg_tensor *tensor,
                                enum dg_type type)
{
    struct dg_tensor *copy = dg_tensor_new(call->context->memory, type, tensor->rank,
                                           tensor->sizes, call->err);

    if (copy && copy_elements(call, copy, tensor)) {
        dg_tensor_drop(copy);
        return NULL;
    }
    return copy;
}

struct dg_tensor *converted(struct dg_call *call, struct dg_tensor *tensor,
                            enum dg_type type)
{
    return tensor->type == type ? dg_tensor_keep(tensor) : copied(call, tensor, type);
}

struct dg_tensor *contiguous_as(struct dg_call *call, struct dg_tensor *tensor,
                                enum dg_type type)
{
    return tensor->type == type && dg_tensor_contiguous(tensor)
               ? dg_tensor_keep(tensor)
               : copied(call, tensor, type);
}

struct dg_tensor *contiguous(struct dg_call *call, struct dg_tensor *tensor)
{
    return contiguous_as(call, tensor, tensor->type);
}
