/* What nodes that sum products share. */
#ifndef DG_KERNELS_XNNPACK_PRODUCTS_H
#define DG_KERNELS_XNNPACK_PRODUCTS_H

#include "kernels/xnnpack/xnnpack.h"

enum { DG_XNN_INPUT, DG_XNN_FILTER, DG_XNN_BIAS }; /* arguments */

/* A share of the tensor. */
struct dg_tensor *dg_xnn_argument(const struct dg_call *call, size_t i);
/* An operand as the sum takes it: a float, or a whole number. */
struct dg_tensor *dg_xnn_factor(struct dg_call *call, size_t i);
/* The filter as the product loads it: as it is stored, where its zero point is 0. */
struct dg_tensor *dg_xnn_weights(struct dg_call *call);
/* What is added to the sum itself, a line of numbers; NULL: nothing. Of slices floats
 * are added behind their scales. */
struct dg_tensor *dg_xnn_addend(struct dg_call *call);
/* The bias as f64, for as long as the call lasts; NULL: there is none. */
enum dg_status dg_xnn_read_bias(struct dg_call *call, const double **bias);

/* The same elements one behind the other; uses up the share. */
struct dg_tensor *dg_xnn_contiguous(struct dg_call *call, struct dg_tensor *tensor);
/* [..., n] by [m, n] of any type, and `bias` (NULL: none), are [..., m]; uses up its
 * share of `input`. */
struct dg_tensor *dg_xnn_multiplied(struct dg_call *call, struct dg_tensor *input,
                                    const struct dg_tensor *filter,
                                    const struct dg_tensor *bias);

/* Both are floats, or both are codes. */
bool dg_xnn_has_factors(const struct dg_call *call);
/* There is none, or it has an element for each channel. */
bool dg_xnn_bias_fits(const struct dg_call *call);
/* Slices, of `n_inner` dimensions, have a scale for all channels of their results. */
bool dg_xnn_has_slices(const struct dg_call *call, int n_inner);
/* Sums of 16 bits, term by term: what machines with such arithmetic do, and the least
 * that rounding may lead to. */
bool dg_xnn_sums_in_halves(const struct dg_call *call);

/* Sums become results; uses up their share. The last dimension are the channels. */
enum dg_status dg_xnn_give_sums(struct dg_call *call, struct dg_tensor *sums);

/* Products of F16 whose sums are rounded to it at each term. */
dg_kernel_fn dg_xnn_half_convolution, dg_xnn_half_linear;

#endif
