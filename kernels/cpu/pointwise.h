/* Operators that compute each element of the result from one element of each operand.
 */
#ifndef DG_KERNELS_CPU_POINTWISE_H
#define DG_KERNELS_CPU_POINTWISE_H

#include "kernels/cpu/vectorize.h"
#include "kernels/cpu/walk.h"

enum { DG_OPERANDS_MOST = 4, DG_PARAMETERS_MOST = 4 };

/* to[i] from in[0][i], in[1][i]...; `p` are parameters of the call. */
typedef void dg_real_line(int64_t n, double *to, double (*in)[DG_LINE_MOST],
                          const double *p);
typedef void dg_integer_line(int64_t n, int64_t *to, int64_t (*in)[DG_LINE_MOST],
                             const int64_t *p);

enum dg_pointwise_result {
    DG_PROMOTED, /* the common type of the operands */
    DG_FLOAT,    /* the same, or f32 where that is no float */
    DG_DOUBLE,   /* f64 */
    DG_TRUTH,    /* bool, computed in the common type */
};

struct dg_pointwise {
    int n_operands; /* the first arguments: tensors or numbers */
    enum dg_pointwise_result result;
    dg_real_line *real;
    dg_integer_line *integer; /* NULL: the operator takes floats */
    int n_parameters;         /* numbers that follow the operands */
    unsigned typed_by;        /* bits of the operands that decide the type; 0: all */
    bool keeps_numbers;       /* beside 16-bit tensors, 0-d operands count as f32 */
};

/* Operands and parameters are the arguments in their order. */
enum dg_status dg_pointwise(struct dg_call *call, const struct dg_pointwise *op);

/* The same for operands in another order. A parameter stands as both kinds. */
struct dg_parameters {
    double real[DG_PARAMETERS_MOST];
    int64_t integer[DG_PARAMETERS_MOST];
};
enum dg_status dg_pointwise_of(struct dg_call *call, const struct dg_pointwise *op,
                               const struct dg_arg *operands,
                               const struct dg_parameters *parameters);

/* Operands as tensors, numbers as 0-d ones, which borrow them; the caller drops them
 * all, also on failure: tensors[] starts as NULL. */
enum dg_status dg_operand_tensors(struct dg_call *call, const struct dg_arg *operands,
                                  int n, struct dg_tensor **tensors);

/* The arguments of a call, NONE where there are fewer. */
void dg_pointwise_operands(const struct dg_call *call, int n, struct dg_arg *operands);

/* `value` as a number of `type` (a float); wide runs round nothing. */
double dg_rounded(const struct dg_context *context, enum dg_type type, double value);
/* The type that torch computes `type` in: f32 for 16-bit floats. */
enum dg_type dg_operation_type(enum dg_type type);

/* Define a line function: x, y and z are the operands' elements. */
#define DG_LINE(type, name, operands, value)                                           \
    static void name(int64_t n, type *restrict to, type(*in)[DG_LINE_MOST],            \
                     const type *p)                                                    \
    {                                                                                  \
        (void)p;                                                                       \
        for (int64_t i = 0; i < n; i++) {                                              \
            operands(type) to[i] = value;                                              \
        }                                                                              \
    }
#define DG_X(type) type x = in[0][i];
#define DG_XY(type) DG_X(type) type y = in[1][i];
#define DG_XYZ(type) DG_XY(type) type z = in[2][i];

/* The same of one operand, through a function of whole lines: y is that of `inner`. */
#define DG_LINE_THROUGH(name, function, inner, value)                                  \
    static void name(int64_t n, double *restrict to, double(*in)[DG_LINE_MOST],        \
                     const double *p)                                                  \
    {                                                                                  \
        (void)p;                                                                       \
        for (int64_t i = 0; i < n; i++) {                                              \
            double x = in[0][i];                                                       \
                                                                                       \
            to[i] = inner;                                                             \
        }                                                                              \
        function(to, n);                                                               \
        for (int64_t i = 0; i < n; i++) {                                              \
            double x = in[0][i], y = to[i];                                            \
                                                                                       \
            (void)x;                                                                   \
            to[i] = value;                                                             \
        }                                                                              \
    }

/* Arithmetic that wraps as torch's integers do. */
static inline int64_t dg_wrap_add(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x + (uint64_t)y);
}

static inline int64_t dg_wrap_sub(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x - (uint64_t)y);
}

static inline int64_t dg_wrap_mul(int64_t x, int64_t y)
{
    return (int64_t)((uint64_t)x * (uint64_t)y);
}

#endif
