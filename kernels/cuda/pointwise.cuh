/* Calls of operators that compute each element from one element of each operand. */
#ifndef DG_KERNELS_CUDA_POINTWISE_CUH
#define DG_KERNELS_CUDA_POINTWISE_CUH

#include "kernels/cuda/convert.cuh"
#include "kernels/cuda/map.cuh"

extern "C" {
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/promote.h"
}

enum { OPERANDS_MOST = 3 };

enum number_rule {
    NUMBERS_ROUNDED, /* to the type of the tensors, as torch does for + - < == */
    NUMBERS_KEPT,
};

/* Operands in the type that the operator computes in, and room for the result. */
struct operands {
    enum dg_type type;
    struct dg_tensor *tensors[OPERANDS_MOST]; /* shares; NULL: a number */
    struct input inputs[OPERANDS_MOST];
    struct dg_tensor *result;

    ~operands()
    {
        for (struct dg_tensor *tensor : tensors)
            dg_tensor_drop(tensor);
    }
};

static inline int64_t wrapped(enum dg_type type, int64_t value)
{
    return type == DG_TYPE_BOOL  ? value != 0
           : type == DG_TYPE_U8  ? (uint8_t)value
           : type == DG_TYPE_I8  ? (int8_t)value
           : type == DG_TYPE_I16 ? (int16_t)value
           : type == DG_TYPE_I32 ? (int32_t)value
                                 : value;
}

static inline enum dg_status take_operand(struct dg_call *call, struct operands *of,
                                          int i, const struct dg_arg *arg,
                                          enum number_rule rule)
{
    struct dg_call one = {};
    double real;

    if (arg->kind == DG_ARG_TENSOR) {
        of->tensors[i] = converted(call, arg->as.tensor, of->type);
        of->inputs[i] = input_tensor(of->tensors[i]);
        return of->tensors[i] ? DG_OK : call->err->status;
    }
    one.args = arg;
    one.n_args = 1;
    real = dg_arg_real(&one, 0, 0);
    if (rule == NUMBERS_ROUNDED && dg_type_is_float(of->type))
        real = dg_rounded(call->context, of->type, real);
    of->inputs[i] = input_number(real, wrapped(of->type, dg_arg_int(&one, 0, 0)));
    return DG_OK;
}

/* Operands `args` for a result of that kind. */
static inline enum dg_status take_operands(struct dg_call *call, struct operands *of,
                                           const struct dg_arg *args, int n,
                                           enum dg_pointwise_result result,
                                           enum number_rule rule)
{
    struct dg_tensor *tensors[OPERANDS_MOST];
    int64_t sizes[DG_RANK_MOST];
    enum dg_status status = DG_OK;
    int rank;

    of->type = dg_common_type(args, (size_t)n);
    if (result == DG_FLOAT && !dg_type_is_float(of->type))
        of->type = DG_TYPE_F32;
    if (result == DG_DOUBLE)
        of->type = DG_TYPE_F64;
    of->type = dg_kept_type(call->context, of->type);
    for (int i = 0; i < n; i++)
        tensors[i] = args[i].kind == DG_ARG_TENSOR ? args[i].as.tensor : NULL;
    status = dg_broadcast(call, n, tensors, &rank, sizes);
    for (int i = 0; i < n && !status; i++)
        status = take_operand(call, of, i, &args[i], rule);
    if (status)
        return status;
    of->result =
        dg_result(call, 0, result == DG_TRUTH ? DG_TYPE_BOOL : of->type, rank, sizes);
    return of->result ? DG_OK : call->err->status;
}

static inline enum dg_status refuse_type(struct dg_call *call, enum dg_type type)
{
    return dg_call_fail(call, DG_ERR_DEVICE, "%s is computed on the host only",
                        dg_type_name(type));
}

/* Calls map<Out, T...>() with N inputs. */
template <class Out, class T, class F>
static enum dg_status map_operands(struct dg_call *call, F f, const struct operands &of,
                                   std::integral_constant<int, 1>)
{
    return map<Out, T>(call, f, of.result, of.inputs[0]);
}

template <class Out, class T, class F>
static enum dg_status map_operands(struct dg_call *call, F f, const struct operands &of,
                                   std::integral_constant<int, 2>)
{
    return map<Out, T, T>(call, f, of.result, of.inputs[0], of.inputs[1]);
}

template <class Out, class T, class F>
static enum dg_status map_operands(struct dg_call *call, F f, const struct operands &of,
                                   std::integral_constant<int, 3>)
{
    return map<Out, T, T, T>(call, f, of.result, of.inputs[0], of.inputs[1],
                             of.inputs[2]);
}

/* The numbers that follow the operands. */
template <class C> struct parameters {
    C p[3];
};

template <class C>
static struct parameters<C> parameters_of(const struct dg_call *call, size_t first) {
    struct parameters<C> found = {
    };

    for (size_t i = 0; i < 3; i++) {
        if constexpr (std::is_integral_v<C>)
            found.p[i] = dg_arg_int(call, first + i, 0);
        else
            found.p[i] = (C)dg_arg_real(call, first + i, 0);
    }
    return found;
}

enum {
    TAKES_FLOATS,
    TAKES_NUMBERS,
    TAKES_INTEGERS
};

/* The operator F<C>{parameters}(x, y...) on the first N arguments. */
template <template <class> class F, int N, enum dg_pointwise_result RESULT, int TAKES>
static enum dg_status pointwise(struct dg_call *call, const struct dg_arg *args,
                                enum number_rule rule)
{
    struct operands of = {};
    enum dg_status status = take_operands(call, &of, args, N, RESULT, rule);
    auto compute = [&](auto element) {
        using T = decltype(element);
        using Out = std::conditional_t<RESULT == DG_TRUTH, truth, T>;
        F<computed<T>> f = {parameters_of<computed<T>>(call, N)};

        return map_operands<Out, T>(call, f, of, std::integral_constant<int, N>());
    };

    if (status)
        return status;
    if constexpr (TAKES == TAKES_FLOATS)
        status = with_float(of.type, compute);
    else if constexpr (TAKES == TAKES_INTEGERS)
        status = with_integer(of.type, compute);
    else
        status = with_number(of.type, compute);
    return status && !call->err->status ? refuse_type(call, of.type) : status;
}

/* An operator whose operands are its first arguments. */
#define POINTWISE(name, f, n, result, takes, rule)                                     \
    enum dg_status dg_cuda_##name(struct dg_call *call)                                \
    {                                                                                  \
        struct dg_arg args[OPERANDS_MOST] = {};                                        \
                                                                                       \
        dg_pointwise_operands(call, n, args);                                          \
        return pointwise<f, n, result, takes>(call, args, rule);                       \
    }

/* Define the function of elements x, y and z; p are parameters. */
#define FUNCTION(name, type, operands, value)                                          \
    template <class C> struct name : parameters<C> {                                   \
        __device__ type operator() operands const                                      \
        {                                                                              \
            const C *p = this->p;                                                      \
                                                                                       \
            (void)p;                                                                   \
            return value;                                                              \
        }                                                                              \
    };

/* Functions that are operators of that name. */
#define UNARY(name, result, takes, value)                                              \
    FUNCTION(name##_of, auto, (C x), value)                                            \
    POINTWISE(name, name##_of, 1, result, takes, NUMBERS_KEPT)

#define BINARY(name, result, takes, rule, value)                                       \
    FUNCTION(name##_of, auto, (C x, C y), value)                                       \
    POINTWISE(name, name##_of, 2, result, takes, rule)

#endif
