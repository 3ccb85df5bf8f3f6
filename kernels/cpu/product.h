/* Matrix products of tensors: shapes checked, batches broadcast. */
#ifndef DG_KERNELS_CPU_PRODUCT_H
#define DG_KERNELS_CPU_PRODUCT_H

#include "kernels/kernel.h"

/* alpha * (a x b) + beta * add. Tensors may be changed copies of arguments: nobody
 * counts their holders. */
struct dg_product {
    struct dg_tensor a, b;       /* [..., m, k] and [..., k, n] */
    const struct dg_tensor *add; /* broadcasts to [..., m, n]; NULL: none */
    double alpha, beta;
    enum dg_type type; /* of the result */
    int rank;          /* of the result, whose elements are those of [..., m, n] */
    int64_t sizes[DG_RANK_MOST];
};

/* Both of one element type, and of the given ranks (-1: any from 1 on, -2: any); the
 * product of both begins with alpha 1 and without anything to add. */
enum dg_status dg_product_begin(struct dg_call *call, struct dg_product *product,
                                struct dg_tensor *a, int a_rank, struct dg_tensor *b,
                                int b_rank);
/* Compute it as result 0. Fails naming the sizes that do not fit. */
enum dg_status dg_product_run(struct dg_call *call, struct dg_product *product);

/* The same elements with a dimension of size 1 at `dim`, with two exchanged, with
 * those `from`..`to` as one (false: their strides do not allow that). */
bool dg_insert_dimension(struct dg_tensor *tensor, int dim);
void dg_exchange_dimensions(struct dg_tensor *tensor, int a, int b);
bool dg_join_dimensions(struct dg_tensor *tensor, int from, int to);
/* Broadcast to these sizes by strides of 0; false: it does not. */
bool dg_expand(struct dg_tensor *tensor, int rank, const int64_t *sizes);

#endif
