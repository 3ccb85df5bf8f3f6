/* Operands of operators that go to and from integers on a grid. */
#ifndef DG_KERNELS_CUDA_QUANTIZED_CUH
#define DG_KERNELS_CUDA_QUANTIZED_CUH

#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/map.cuh"

/* A number, or a tensor of numbers that broadcasts over the input. */
struct numbers {
    struct dg_tensor *held; /* a share; NULL: a number */
    struct dg_tensor view;
    struct input input;

    ~numbers()
    {
        dg_tensor_drop(held);
    }
    void hold(struct dg_tensor *tensor)
    {
        dg_tensor_drop(held);
        held = tensor;
        view = *tensor;
        input = input_tensor(&view);
    }
};

/* What shares a scale and a zero point. */
enum sharing { SHARED_BY_ALL, SHARED_BY_CHANNEL, SHARED_BY_ROW, SHARED_BY_GROUP };

/* A call: its input and its result in the shape that scales and zero points broadcast
 * to. */
struct grid {
    enum sharing sharing;
    int64_t axis, group;    /* of channels; elements of a group */
    enum dg_type type;      /* that is computed in: f32 or f64 */
    struct dg_tensor *held; /* a share of what `in` is a view of */
    struct dg_tensor in, out;
    struct numbers scale, zero, least, most;

    ~grid()
    {
        dg_tensor_drop(held);
    }
};

/* Argument 0 as `type`; NONE: as it is. */
enum dg_status take_input(struct dg_call *call, struct grid *of, enum dg_type type);
/* Argument `i` as one number. A tensor is not read by the host; NONE: its own type. */
enum dg_status take_number(struct dg_call *call, struct numbers *to, size_t i,
                           enum dg_type type);
/* Argument `i` as `of` shares it. */
enum dg_status take_shared(struct dg_call *call, const struct grid *of,
                           struct numbers *to, size_t i, enum dg_type type);
/* Its reciprocals, rounded to the type it has, as `type`. */
enum dg_status invert(struct dg_call *call, struct numbers *of, enum dg_type type);
/* Result 0 in the shape of the input. */
enum dg_status give_output(struct dg_call *call, struct grid *of, enum dg_type type);

#endif
