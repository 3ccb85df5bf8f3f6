/* Histograms: histc, histogram and histogramdd. */
#include "kernels/cpu/histogram.h"

#include <math.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/pointwise.h"
#include "kernels/cpu/sums.h"

/* The bin of a value between the outer edges: the last edge that is not above it. Edges
 * need not be sorted; the search is torch's, then, too. */
static int64_t search(const double *edges, int64_t bins, double value)
{
    int64_t first = 0, left = bins + 1;

    while (left > 0) {
        int64_t half = left / 2;

        if (value < edges[first + half]) {
            left = half;
        } else {
            first += half + 1;
            left -= half + 1;
        }
    }
    return first - 1;
}

/* As torch rounds it: a bin is right only when it is rounded so. */
static int64_t divide(const struct dg_context *context, enum dg_type type,
                      const double *edges, int64_t bins, double value)
{
    double width = dg_rounded(context, type, edges[bins] - edges[0]);
    double at = dg_rounded(context, type, value - edges[0]);

    at = dg_rounded(context, type, at * dg_rounded(context, type, (double)bins));
    at = dg_rounded(context, type, at / width);
    return at > 0 ? (int64_t)fmin(at, (double)bins) : 0;
}

/* The bin along one axis; -1: none, as of NaN. */
static int64_t bin_of(const struct dg_context *context,
                      const struct dg_histogram *histogram, int axis, double value)
{
    const double *edges = histogram->edges[axis];
    int64_t bins = histogram->bins[axis], bin;

    if (!(value >= edges[0] && value <= edges[bins]))
        return -1;
    bin = histogram->linear ? divide(context, histogram->type, edges, bins, value)
                            : search(edges, bins, value);
    return bin < bins ? bin : bins - 1;
}

static void count(const struct dg_context *context,
                  const struct dg_histogram *histogram, double *counts)
{
    bool narrow = dg_sums_are_narrow(context, histogram->type);
    const double *point = histogram->points;

    for (int64_t i = 0; i < histogram->n_points; i++, point += histogram->n_axes) {
        double weight = histogram->weights ? histogram->weights[i] : 1;
        int64_t at = 0;

        for (int axis = 0; at >= 0 && axis < histogram->n_axes; axis++) {
            int64_t bin = bin_of(context, histogram, axis, point[axis]);

            at = bin < 0 ? -1 : at * histogram->bins[axis] + bin;
        }
        if (at >= 0)
            counts[at] =
                narrow ? (float)counts[at] + (float)weight : counts[at] + weight;
    }
}

/* Shares of the whole, over the volume of each bin. */
static void make_density(const struct dg_histogram *histogram, double *counts,
                         int64_t n)
{
    double total = dg_sum_line(counts, n, false);

    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i;

        counts[i] /= total;
        for (int axis = histogram->n_axes - 1; axis >= 0; axis--) {
            const double *edge = histogram->edges[axis] + rest % histogram->bins[axis];

            counts[i] /= edge[1] - edge[0];
            rest /= histogram->bins[axis];
        }
    }
}

/* Result 0: the histogram. */
static enum dg_status give(struct dg_call *call, const struct dg_histogram *histogram)
{
    struct dg_tensor *out =
        dg_result(call, 0, histogram->type, histogram->n_axes, histogram->bins);
    int64_t n = out ? dg_tensor_count(out) : 0;
    double *counts = out ? dg_scratch(call, n, sizeof(*counts)) : NULL;

    if (!counts)
        return call->err->status;
    count(call->context, histogram, counts);
    if (histogram->density)
        make_density(histogram, counts, n);
    dg_store_f64(out->type, dg_tensor_data(out), 1, counts, n);
    return DG_OK;
}

static struct dg_tensor *new_edges(struct dg_call *call,
                                   const struct dg_histogram *histogram, int axis)
{
    int64_t n = histogram->bins[axis] + 1;
    enum dg_type type = dg_kept_type(call->context, histogram->type);
    struct dg_tensor *edges =
        dg_tensor_new(call->context->memory, type, 1, &n, call->err);

    if (edges)
        dg_store_f64(type, dg_tensor_data(edges), 1, histogram->edges[axis], n);
    return edges;
}

/* The edges of each axis as a list. */
static enum dg_status give_edges(struct dg_call *call, size_t result,
                                 const struct dg_histogram *histogram)
{
    struct dg_arg *items = dg_give_list_as(call, result, histogram->n_axes);

    for (int axis = 0; items && axis < histogram->n_axes; axis++) {
        items[axis].as.tensor = new_edges(call, histogram, axis);
        if (!items[axis].as.tensor)
            return call->err->status;
        items[axis].kind = DG_ARG_TENSOR;
    }
    return items ? DG_OK : call->err->status;
}

static enum dg_status histogram_of(struct dg_call *call, bool many_axes,
                                   dg_histogram_edges_fn *edges,
                                   struct dg_histogram_places at,
                                   struct dg_histogram *histogram)
{
    enum dg_status status = dg_histogram_begin(call, histogram, many_axes, at);

    if (!status)
        status = edges(call, histogram, at);
    return status ? status : give(call, histogram);
}

enum dg_status dg_cpu_histc(struct dg_call *call)
{
    struct dg_histogram histogram;

    return histogram_of(call, false, dg_histc_edges,
                        (struct dg_histogram_places){.bins = 1}, &histogram);
}

/* Result 1: the edges of the only axis. */
static enum dg_status histogram_1d(struct dg_call *call, dg_histogram_edges_fn *edges,
                                   struct dg_histogram_places at)
{
    struct dg_histogram histogram;
    enum dg_status status = histogram_of(call, false, edges, at, &histogram);

    if (status)
        return status;
    return dg_give(call, 1, new_edges(call, &histogram, 0)) ? DG_OK : call->err->status;
}

enum dg_status dg_cpu_histogram(struct dg_call *call)
{
    return histogram_1d(call, dg_counted_edges,
                        (struct dg_histogram_places){1, 2, 3, 4});
}

enum dg_status dg_cpu_histogram_edges(struct dg_call *call)
{
    return histogram_1d(call, dg_given_edges, (struct dg_histogram_places){1, 0, 2, 3});
}

/* Result 1, where there is one: the edges of each axis. */
static enum dg_status histogram_nd(struct dg_call *call, dg_histogram_edges_fn *edges,
                                   struct dg_histogram_places at)
{
    struct dg_histogram histogram;
    enum dg_status status = histogram_of(call, true, edges, at, &histogram);

    return status || call->n_results < 2 ? status : give_edges(call, 1, &histogram);
}

enum dg_status dg_cpu_histogramdd(struct dg_call *call)
{
    return histogram_nd(call, dg_counted_edges,
                        (struct dg_histogram_places){1, 2, 3, 4});
}

enum dg_status dg_cpu_histogramdd_edges(struct dg_call *call)
{
    return histogram_nd(call, dg_listed_edges,
                        (struct dg_histogram_places){1, 0, 3, 4});
}

enum dg_status dg_cpu_histogramdd_from_edges(struct dg_call *call)
{
    return histogram_nd(call, dg_listed_edges,
                        (struct dg_histogram_places){1, 0, 2, 3});
}

enum dg_status dg_cpu_histogramdd_bin_edges(struct dg_call *call)
{
    struct dg_histogram_places at = {.bins = 1, .range = 2};
    struct dg_histogram histogram;
    enum dg_status status = dg_histogram_begin(call, &histogram, true, at);

    if (!status)
        status = dg_counted_edges(call, &histogram, at);
    return status ? status : give_edges(call, 0, &histogram);
}
