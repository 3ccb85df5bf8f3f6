/* Reductions: each element of the results is made of a group of input elements. */
#ifndef DG_KERNELS_CPU_REDUCE_H
#define DG_KERNELS_CPU_REDUCE_H

#include "kernels/cpu/walk.h"
#include "kernels/kernel.h"

/* Positions of arguments in the schema; 0 (that is the input): it has none. */
struct dg_reduce_args {
    size_t dims, keepdim, dtype;
};

struct dg_reduce_axes {
    int rank;
    int64_t sizes[DG_RANK_MOST], strides[DG_RANK_MOST];
};

struct dg_reduction {
    struct dg_call *call;
    struct dg_tensor *in, *out[2];
    struct dg_reduce_axes kept, folded;
    int64_t n_groups, n_each; /* results; input elements of each */
    int out_rank;             /* the shape of the results */
    int64_t out_sizes[DG_RANK_MOST];
    double parameter; /* of the kernel */
    const void *data;
};

/* The elements that one result is made of, in index order. */
struct dg_group {
    const struct dg_reduction *reduction;
    const char *base;
    int64_t next; /* element to read */
};

/* Computes result `i`; called from several threads. */
typedef void dg_group_fn(const struct dg_reduction *reduction, struct dg_group *group,
                         int64_t i);

/* `dims` are reduced; n_dims -1: all. Fails on dimensions that are out of range or
 * twice there, and on element types without arithmetic. */
enum dg_status dg_reduce_over(struct dg_reduction *reduction, struct dg_call *call,
                              struct dg_tensor *in, int n_dims, const int64_t *dims,
                              bool keepdim);
/* The same by the call's arguments: argument 0 over the dimensions that `at` names, all
 * where there are none. */
enum dg_status dg_reduce_begin(struct dg_reduction *reduction, struct dg_call *call,
                               struct dg_reduce_args at);
/* Result `k` of the reduction's shape. */
enum dg_status dg_reduce_result(struct dg_reduction *reduction, size_t k,
                                enum dg_type type);
void dg_reduce_run(struct dg_reduction *reduction, dg_group_fn *fn);
struct dg_group dg_group_of(const struct dg_reduction *reduction, int64_t i);

/* Where element `i` of the group lies: elements behind group->base. */
int64_t dg_group_offset(const struct dg_group *group, int64_t i);

/* The next elements, at most DG_LINE_MOST, into `line`; 0 after the last. */
int64_t dg_read_reals(struct dg_group *group, double *line);
int64_t dg_read_integers(struct dg_group *group, int64_t *line);

/* Elements of a contiguous result from `i` on. */
void dg_put_reals(struct dg_tensor *out, int64_t i, const double *values, int64_t n);
void dg_put_integers(struct dg_tensor *out, int64_t i, const int64_t *values,
                     int64_t n);
void dg_put_real(struct dg_tensor *out, int64_t i, double value);
void dg_put_integer(struct dg_tensor *out, int64_t i, int64_t value);

/* A sum in a fixed order. Exact ones keep several partial sums in f64. */
struct dg_total {
    double lanes[8];
    enum { DG_TOTAL_EXACT, DG_TOTAL_F32, DG_TOTAL_F64 } kind;
};

/* How sums of `type` are made in this run. */
struct dg_total dg_total_begin(const struct dg_context *context, enum dg_type type);
/* Each call but the last one of a sum adds a multiple of 8 terms. */
void dg_total_add(struct dg_total *total, const double *terms, int64_t n);
double dg_total_end(const struct dg_total *total);

/* Turns elements into the terms of a sum. */
typedef void dg_term_fn(double *line, int64_t n, double parameter);

/* The sum of the whole group's terms, whatever was read before. */
double dg_group_sum(struct dg_group *group, dg_term_fn *term, double parameter);

/* Lines of contiguous results along the reduced dimension: element k of line i is
 * element dg_line_start() + k * dg_line_step(). */
int64_t dg_line_step(const struct dg_tensor *in, int dim);
int64_t dg_line_start(const struct dg_tensor *in, int dim, int64_t i);

/* A contiguous copy of another element type, or `tensor` itself: one share. */
struct dg_tensor *dg_as_type(struct dg_call *call, struct dg_tensor *tensor,
                             enum dg_type type);

#endif
