/* Where the bins of histograms end. */
#include <math.h>

#include "kernels/cpu/create.h"
#include "kernels/cpu/histogram.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/sums.h"

static enum dg_status need_bins(struct dg_call *call, int64_t bins)
{
    return bins > 0 && bins < INT64_MAX
               ? DG_OK
               : dg_call_fail(call, DG_ERR_FORMAT, "a histogram of %lld bins",
                              (long long)bins);
}

static enum dg_status read_weights(struct dg_call *call, struct dg_histogram *histogram,
                                   size_t at)
{
    struct dg_tensor *weight = at ? dg_arg_tensor(call, at) : NULL;

    if (!weight)
        return DG_OK;
    if (weight->type != histogram->type ||
        dg_tensor_count(weight) != histogram->n_points)
        return dg_call_fail(
            call, DG_ERR_FORMAT, "%lld weights of %s for %lld points of %s",
            (long long)dg_tensor_count(weight), dg_type_name(weight->type),
            (long long)histogram->n_points, dg_type_name(histogram->type));
    histogram->weights = dg_load_all(call, weight);
    return histogram->weights ? DG_OK : call->err->status;
}

enum dg_status dg_histogram_begin(struct dg_call *call, struct dg_histogram *histogram,
                                  bool many_axes, struct dg_histogram_places at)
{
    struct dg_tensor *self = dg_need_tensor(call, 0);
    int64_t n_axes = self && self->rank && many_axes ? self->sizes[self->rank - 1] : 1;

    if (!self)
        return call->err->status;
    if (!dg_type_is_float(self->type) || (many_axes && self->rank < 2))
        return dg_call_fail(call, DG_ERR_FORMAT, "a histogram of %s of rank %d",
                            dg_type_name(self->type), self->rank);
    if (n_axes > DG_RANK_MOST)
        return dg_call_fail(call, DG_ERR_FORMAT, "a histogram of %lld dimensions",
                            (long long)n_axes);
    *histogram = (struct dg_histogram){.type = self->type, .n_axes = (int)n_axes};
    histogram->n_points = n_axes ? dg_tensor_count(self) / n_axes : 0;
    histogram->points = dg_load_all(call, self);
    if (!histogram->points)
        return call->err->status;
    histogram->density = at.density && dg_arg_bool(call, at.density, false);
    return read_weights(call, histogram, at.weight);
}

static void find_range(const struct dg_histogram *histogram, int axis, double *least,
                       double *most)
{
    const double *at = histogram->points + axis;

    for (int64_t i = 0; i < histogram->n_points; i++, at += histogram->n_axes) {
        if (!i || *at < *least || isnan(*at))
            *least = *at;
        if (!i || *at > *most || isnan(*at))
            *most = *at;
        if (isnan(*at))
            return;
    }
}

static enum dg_status need_range(struct dg_call *call, double least, double most)
{
    return isfinite(least) && isfinite(most) && least <= most
               ? DG_OK
               : dg_call_fail(call, DG_ERR_FORMAT, "bins from %g to %g", least, most);
}

/* bins + 1 edges from `least` to `most`, evenly apart. */
static enum dg_status space_edges(struct dg_call *call, struct dg_histogram *histogram,
                                  int axis, double least, double most)
{
    int64_t n = histogram->bins[axis] + 1;
    struct dg_space space = dg_space_of(call->context, histogram->type, least, most, n);
    double *edges = dg_scratch(call, n, sizeof(*edges));

    for (int64_t i = 0; edges && i < n; i++)
        edges[i] = dg_space_point(&space, i);
    histogram->edges[axis] = edges;
    return edges ? DG_OK : call->err->status;
}

static double number_of(const struct dg_arg *arg)
{
    if (arg->kind == DG_ARG_FLOAT)
        return arg->as.real;
    return arg->kind == DG_ARG_INT ? (double)arg->as.integer : NAN;
}

/* By the range that was asked for, a list of both ends of each axis, or that of the
 * points. */
static enum dg_status range_edges(struct dg_call *call, struct dg_histogram *histogram,
                                  int axis, size_t range)
{
    const struct dg_arg *list = dg_number_at(call, range);
    double least = 0, most = 1;
    enum dg_status status;

    if (list->kind == DG_ARG_LIST) {
        if (list->as.list.n_items != 2 * (size_t)histogram->n_axes)
            return dg_call_fail(call, DG_ERR_FORMAT, "a range of %zu for %d dimensions",
                                list->as.list.n_items, histogram->n_axes);
        least = number_of(&list->as.list.items[2 * axis]);
        most = number_of(&list->as.list.items[2 * axis + 1]);
    } else {
        find_range(histogram, axis, &least, &most);
    }
    status = need_range(call, least, most);
    if (least == most) {
        least -= 0.5;
        most += 0.5;
    }
    return status ? status : space_edges(call, histogram, axis, least, most);
}

/* Whether the bins are some, and memory could have them: before edges are made. */
static enum dg_status check_counts(struct dg_call *call,
                                   const struct dg_histogram *histogram)
{
    int64_t all;
    enum dg_status status = DG_OK;

    for (int axis = 0; !status && axis < histogram->n_axes; axis++)
        status = need_bins(call, histogram->bins[axis]);
    if (!status &&
        !dg_shape_count(histogram->n_axes, histogram->bins, DG_TYPE_F64, &all))
        return dg_call_fail(call, DG_ERR_FORMAT, "more bins than memory can hold");
    return status;
}

enum dg_status dg_counted_edges(struct dg_call *call, struct dg_histogram *histogram,
                                struct dg_histogram_places at)
{
    bool one = dg_number_at(call, at.bins)->kind != DG_ARG_LIST;
    int n = dg_arg_ints(call, at.bins, histogram->bins, DG_RANK_MOST);
    enum dg_status status;

    if (n < 0)
        return call->err->status;
    if (!one && n != histogram->n_axes)
        return dg_call_fail(call, DG_ERR_FORMAT, "bins of %d of %d dimensions", n,
                            histogram->n_axes);
    for (int axis = 0; one && axis < histogram->n_axes; axis++)
        histogram->bins[axis] = dg_arg_int(call, at.bins, 0);
    status = check_counts(call, histogram);
    for (int axis = 0; !status && axis < histogram->n_axes; axis++)
        status = range_edges(call, histogram, axis, at.range);
    return status;
}

static enum dg_status take_edges(struct dg_call *call, struct dg_histogram *histogram,
                                 int axis, struct dg_tensor *edges)
{
    if (!edges || edges->rank != 1 || edges->type != histogram->type)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "edges of bins are no vector of the type of the points, %s",
                            dg_type_name(histogram->type));
    histogram->bins[axis] = edges->sizes[0] - 1;
    histogram->edges[axis] = dg_load_all(call, edges);
    return histogram->edges[axis] ? need_bins(call, histogram->bins[axis])
                                  : call->err->status;
}

enum dg_status dg_listed_edges(struct dg_call *call, struct dg_histogram *histogram,
                               struct dg_histogram_places at)
{
    size_t n;
    struct dg_tensor **edges = dg_arg_tensors(call, at.bins, &n);
    enum dg_status status = DG_OK;

    if (n != (size_t)histogram->n_axes)
        return dg_call_fail(call, DG_ERR_FORMAT, "edges of %zu of %d dimensions", n,
                            histogram->n_axes);
    for (int axis = 0; !status && axis < histogram->n_axes; axis++)
        status = take_edges(call, histogram, axis, edges[axis]);
    return status;
}

enum dg_status dg_given_edges(struct dg_call *call, struct dg_histogram *histogram,
                              struct dg_histogram_places at)
{
    return take_edges(call, histogram, 0, dg_arg_tensor(call, at.bins));
}

enum dg_status dg_histc_edges(struct dg_call *call, struct dg_histogram *histogram,
                              struct dg_histogram_places at)
{
    double least = dg_arg_real(call, 2, 0), most = dg_arg_real(call, 3, 0);
    enum dg_status status;

    histogram->bins[0] = dg_arg_int(call, at.bins, 100);
    histogram->linear = true;
    if (least == most)
        find_range(histogram, 0, &least, &most);
    if (least == most) {
        least -= 1;
        most += 1;
    }
    status = need_bins(call, histogram->bins[0]);
    if (!status)
        status = need_range(call, least, most);
    return status ? status : space_edges(call, histogram, 0, least, most);
}
