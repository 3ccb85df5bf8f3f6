/* To and from integers on a grid, by one scale or by one for each channel, row or
 * group.
 *
 * Every step rounds as its own kernel does: products and sums are not fused, so that
 * codes near a tie are those of the reference. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/quantized.cuh"

extern "C" {
#include "kernels/cpu/promote.h"
}

/* Where zero points are added: to codes, or to what is rounded to codes. */
enum zero_place { ZERO_BEHIND, ZERO_BEFORE };

template <class T> struct to_codes {
    enum zero_place place;

    template <class C>
    __device__ C operator()(C x, C inverse, C zero, C least, C most) const
    {
        C steps = kept<T>(product_alone(x, inverse));

        steps = place == ZERO_BEFORE ? rint(kept<T>(steps + zero))
                                     : kept<T>(rint(steps) + zero);
        return clamped(steps, least, most);
    }
};

template <class T>
static enum dg_status map_to_codes(struct dg_call *call, const struct grid *of,
                                   enum zero_place place)
{
    return with_codes(of->out.type, [&](auto code) {
        return map<decltype(code), T, T, T, T, T>(
            call, to_codes<T>{place}, &of->out, input_tensor(&of->in), of->scale.input,
            of->zero.input, of->least.input, of->most.input);
    });
}

/* The type that torch computes in: one scale is a number, and of channels too the input
 * becomes f32 first. */
static enum dg_type type_beside(const struct dg_call *call, const struct grid *of)
{
    struct dg_arg args[3] = {};
    struct dg_tensor input;

    if (of->sharing == SHARED_BY_ALL || !dg_arg_tensor(call, 0))
        return dg_kept_type(call->context, DG_TYPE_F32);
    for (size_t i = 0; i < 3 && i < call->n_args; i++)
        args[i] = call->args[i];
    input = *args[0].as.tensor;
    if (of->sharing == SHARED_BY_CHANNEL)
        input.type = DG_TYPE_F32;
    args[0].as.tensor = &input;
    return dg_kept_type(call->context, dg_common_type(args, 3));
}

/* Bounds are arguments `bounds` and the one behind, the type of codes follows them. */
static enum dg_status quantize(struct dg_call *call, struct grid of, size_t bounds,
                               enum zero_place place)
{
    enum dg_type type = dg_arg_type(call, bounds + 2, DG_TYPE_NONE);
    enum dg_status status;

    of.type = type_beside(call, &of);
    status = take_input(call, &of, of.type);
    if (!status) /* one scale is a number of f64, whatever tensor it comes in */
        status = take_shared(call, &of, &of.scale, 1,
                             of.sharing == SHARED_BY_ALL ? DG_TYPE_F64 : DG_TYPE_NONE);
    if (!status)
        status = invert(call, &of.scale, of.type);
    if (!status)
        status = take_shared(call, &of, &of.zero, 2, of.type);
    if (!status)
        status = take_number(call, &of.least, bounds, of.type);
    if (!status)
        status = take_number(call, &of.most, bounds + 1, of.type);
    if (!status)
        status = give_output(call, &of, type);
    if (status)
        return status;
    status = with_float(of.type, [&](auto element) {
        return map_to_codes<decltype(element)>(call, &of, place);
    });
    return status && !call->err->status
               ? dg_call_fail(call, DG_ERR_DEVICE, "codes of %s", dg_type_name(type))
               : status;
}

/* Codes as T less the zero point, rounded to T, times the scale. */
template <class T> struct from_codes {
    template <class X, class Zero, class C>
    __device__ C operator()(X code, Zero zero, C scale) const
    {
        C from = value_of(store<T>::of(code)), base = value_of(store<T>::of(zero));

        return product_alone(kept<T>(from - base), scale);
    }
};

/* Integers less integers, then times the scale. */
template <> struct from_codes<int64_t> {
    template <class C>
    __device__ C operator()(int64_t code, int64_t zero, C scale) const
    {
        return product_alone((C)minus(code, zero), scale);
    }
};

/* (input, scale, zero_point, quant_min, quant_max, dtype, out_dtype) */
static enum dg_status dequantize_all(struct dg_call *call, struct grid of)
{
    enum dg_type type = dg_kept_type(call->context, dg_arg_type(call, 6, DG_TYPE_F32));
    enum dg_status status;

    of.type = type == DG_TYPE_F64 ? DG_TYPE_F64 : DG_TYPE_F32;
    status = take_input(call, &of, DG_TYPE_NONE);
    if (!status)
        status = take_number(call, &of.scale, 1, of.type);
    if (!status)
        status = take_number(call, &of.zero, 2, of.type);
    if (!status)
        status = give_output(call, &of, type);
    if (status)
        return status;
    status = with_codes(of.in.type, [&](auto code) {
        using X = decltype(code);

        return with_float(type, [&](auto element) {
            using T = decltype(element);
            using C = computed<T>;

            return map<T, X, C, C>(call, from_codes<T>(), &of.out, input_tensor(&of.in),
                                   of.zero.input, of.scale.input);
        });
    });
    return status && !call->err->status
               ? dg_call_fail(call, DG_ERR_DEVICE, "codes of %s",
                              dg_type_name(of.in.type))
               : status;
}

static bool has_whole_codes(const struct dg_call *call)
{
    const struct dg_tensor *codes = dg_arg_tensor(call, 0),
                           *zeros = dg_arg_tensor(call, 2);

    return codes && !dg_type_is_float(codes->type) &&
           (!zeros || !dg_type_is_float(zeros->type));
}

template <class Out, class C>
static enum dg_status map_from_codes(struct dg_call *call, const struct grid *of)
{
    enum dg_status status = with_codes(of->in.type, [&](auto code) {
        return map<Out, decltype(code), int64_t, C>(call, from_codes<int64_t>(),
                                                    &of->out, input_tensor(&of->in),
                                                    of->zero.input, of->scale.input);
    });

    return status && !call->err->status
               ? dg_call_fail(call, DG_ERR_DEVICE, "codes of %s",
                              dg_type_name(of->in.type))
               : status;
}

/* The result has the type `out` of arguments. */
static enum dg_status dequantize(struct dg_call *call, struct grid of, size_t out)
{
    enum dg_type type =
        dg_kept_type(call->context, dg_arg_type(call, out, DG_TYPE_F32));
    const struct dg_tensor *scales = dg_arg_tensor(call, 1);
    enum dg_status status;

    if (!has_whole_codes(call) || !scales ||
        (scales->type != DG_TYPE_F32 && scales->type != DG_TYPE_F64))
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "zero points of floats, or scales of 16 bits");
    of.type = type_beside(call, &of);
    status = take_input(call, &of, DG_TYPE_NONE);
    if (!status)
        status = take_shared(call, &of, &of.scale, 1, of.type);
    if (!status && !dg_arg_missing(call, 2))
        status = take_shared(call, &of, &of.zero, 2, DG_TYPE_I64);
    if (!status)
        status = give_output(call, &of, type);
    if (status)
        return status;
    status = with_float(type, [&](auto element) {
        using Out = decltype(element);

        return of.type == DG_TYPE_F64 ? map_from_codes<Out, double>(call, &of)
                                      : map_from_codes<Out, float>(call, &of);
    });
    return status && !call->err->status
               ? dg_call_fail(call, DG_ERR_DEVICE, "floats of %s", dg_type_name(type))
               : status;
}

static struct grid by(enum sharing sharing)
{
    struct grid grid = {};

    grid.sharing = sharing;
    return grid;
}

static struct grid by_channel(const struct dg_call *call)
{
    struct grid grid = by(SHARED_BY_CHANNEL);

    grid.axis = dg_arg_int(call, 3, 0);
    return grid;
}

/* A single group may be said to be larger than the row it is. */
static struct grid by_group(const struct dg_call *call)
{
    const struct dg_tensor *input = dg_arg_tensor(call, 0);
    const struct dg_tensor *scales = dg_arg_tensor(call, 1);
    struct grid grid = by(SHARED_BY_GROUP);
    int64_t columns;

    if (!input || !input->rank || !scales || !scales->rank)
        return grid;
    grid.group = dg_arg_int(call, 6, 128);
    columns = input->sizes[input->rank - 1];
    if (grid.group > columns && scales->sizes[scales->rank - 1] == 1)
        grid.group = columns;
    return grid;
}

enum dg_status dg_cuda_quantize_per_tensor(struct dg_call *call)
{
    return quantize(call, by(SHARED_BY_ALL), 3, ZERO_BEHIND);
}

enum dg_status dg_cuda_quantize_per_channel(struct dg_call *call)
{
    return quantize(call, by_channel(call), 4, ZERO_BEHIND);
}

enum dg_status dg_cuda_quantize_per_token(struct dg_call *call)
{
    return quantize(call, by(SHARED_BY_ROW), 3, ZERO_BEFORE);
}

enum dg_status dg_cuda_quantize_per_group(struct dg_call *call)
{
    return quantize(call, by_group(call), 3, ZERO_BEFORE);
}

enum dg_status dg_cuda_dequantize_per_tensor(struct dg_call *call)
{
    return dequantize_all(call, by(SHARED_BY_ALL));
}

enum dg_status dg_cuda_dequantize_per_channel(struct dg_call *call)
{
    return dequantize(call, by_channel(call), 7);
}

enum dg_status dg_cuda_dequantize_per_token(struct dg_call *call)
{
    return dequantize(call, by(SHARED_BY_ROW), 6);
}

enum dg_status dg_cuda_dequantize_per_group(struct dg_call *call)
{
    return dequantize(call, by_group(call), 7);
}
