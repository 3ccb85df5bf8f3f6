/* What makers of tensors share: the dtype asked for, and constant elements. */
#ifndef DG_KERNELS_CPU_CREATE_H
#define DG_KERNELS_CPU_CREATE_H

#include "kernels/kernel.h"

/* The dtype among the arguments, which overloads have at different places. */
enum dg_type dg_requested_type(const struct dg_call *call, enum dg_type otherwise);

/* Argument `i`; NONE where there are fewer. */
const struct dg_arg *dg_number_at(const struct dg_call *call, size_t i);

/* torch refuses to make a number of a type that cannot hold it. */
bool dg_number_fits(enum dg_type type, const struct dg_arg *number);

/* Every element becomes the number, converted to the tensor's type. */
void dg_fill(struct dg_tensor *tensor, const struct dg_arg *number, int n_threads);

/* `count` points from `start` to `end`, with the roundings of torch's `type`. */
struct dg_space {
    const struct dg_context *context;
    enum dg_type type;
    double start, end, step;
    int64_t count;
};

struct dg_space dg_space_of(const struct dg_context *context, enum dg_type type,
                            double start, double end, int64_t count);
double dg_space_point(const struct dg_space *space, int64_t i);
/* All points into `to`, of one dimension. */
void dg_space_fill(const struct dg_space *space, struct dg_tensor *to);

#endif
