/* Operators made of others, as torch makes them: every step rounds as its own kernel
 * does. */
#ifndef DG_KERNELS_CPU_COMPOSE_H
#define DG_KERNELS_CPU_COMPOSE_H

#include "kernels/kernel.h"

/* Kernels below run as dg_kernel_run() has them: where an argument is complex, so does
 * what stands for it in kernels/list/complex.h. */

/* Arguments behind the first; at most 8. */
#define DG_REST(...)                                                                   \
    (sizeof((struct dg_arg[]){__VA_ARGS__}) / sizeof(struct dg_arg)),                  \
        (struct dg_arg[])                                                              \
    {                                                                                  \
        __VA_ARGS__                                                                    \
    }

/* The tensor that `kernel` makes of these, or what stands for it of complex numbers,
 * with the share of `first` used up; NULL: it failed, or `first` was NULL because
 * something before it did. */
struct dg_tensor *dg_apply(struct dg_call *call, dg_kernel_fn *kernel,
                           struct dg_tensor *first, size_t n_rest,
                           const struct dg_arg *rest);

/* The same of two tensors, with the shares of both used up; NULL of NULL. */
struct dg_tensor *dg_apply_two(struct dg_call *call, dg_kernel_fn *kernel,
                               struct dg_tensor *first, struct dg_tensor *second);

/* The same of a tensor and a list of at most DG_RANK_MOST integers: sizes, dimensions.
 */
struct dg_tensor *dg_apply_ints(struct dg_call *call, dg_kernel_fn *kernel,
                                struct dg_tensor *first, int n, const int64_t *values);

/* The elements of `self` along `dim` from `start` to before `end`, which count from the
 * end where they are negative: one share. */
struct dg_tensor *dg_part(struct dg_call *call, struct dg_tensor *self, int64_t dim,
                          int64_t start, int64_t end);
/* Up to 3 pieces one behind the other along `dim`, without those that are NULL: one
 * share. */
struct dg_tensor *dg_join(struct dg_call *call, struct dg_tensor *const *pieces, int n,
                          int64_t dim);

/* A share of argument `i`; NULL: it is no tensor, and call->err says so. */
struct dg_tensor *dg_arg_share(struct dg_call *call, size_t i);

/* `result` becomes result 0; of NULL: the error, which may be that an argument is
 * missing. */
enum dg_status dg_finish(struct dg_call *call, struct dg_tensor *result);

static inline struct dg_arg dg_tensor_arg(struct dg_tensor *tensor)
{
    return tensor ? (struct dg_arg){DG_ARG_TENSOR, .as.tensor = tensor}
                  : (struct dg_arg){DG_ARG_NONE};
}

static inline struct dg_arg dg_real_arg(double value)
{
    return (struct dg_arg){DG_ARG_FLOAT, .as.real = value};
}

static inline struct dg_arg dg_integer_arg(int64_t value)
{
    return (struct dg_arg){DG_ARG_INT, .as.integer = value};
}

static inline struct dg_arg dg_type_arg(enum dg_type type)
{
    return (struct dg_arg){DG_ARG_TYPE, .as.type = type};
}

#endif
