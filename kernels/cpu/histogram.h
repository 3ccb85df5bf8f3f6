/* Histograms: points, and the edges of the bins that they are counted in. */
#ifndef DG_KERNELS_CPU_HISTOGRAM_H
#define DG_KERNELS_CPU_HISTOGRAM_H

#include "kernels/kernel.h"

/* Points of as many coordinates as there are axes, and the edges of the bins. */
struct dg_histogram {
    enum dg_type type;
    const double *points;  /* [n_points, n_axes] */
    const double *weights; /* NULL: each point counts 1 */
    int64_t n_points;
    int n_axes;
    int64_t bins[DG_RANK_MOST];
    double *edges[DG_RANK_MOST]; /* bins + 1 of them */
    bool density, linear;        /* linear: only the outer edges decide, as in histc */
};

/* Where the call has what not every overload has; 0: nowhere. */
struct dg_histogram_places {
    size_t bins, range, weight, density;
};

/* Of many axes the last dimension has the coordinates; else each element is a point. */
enum dg_status dg_histogram_begin(struct dg_call *call, struct dg_histogram *histogram,
                                  bool many_axes, struct dg_histogram_places at);

typedef enum dg_status dg_histogram_edges_fn(struct dg_call *call,
                                             struct dg_histogram *histogram,
                                             struct dg_histogram_places at);

dg_histogram_edges_fn dg_histc_edges; /* bins, the least, the most: arguments 1 to 3 */
dg_histogram_edges_fn dg_counted_edges; /* bins of each axis, or one count for all */
dg_histogram_edges_fn dg_listed_edges;  /* the edges of each axis */
dg_histogram_edges_fn dg_given_edges;   /* those of the only axis */

#endif
