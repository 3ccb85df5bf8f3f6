/* Sums, means, products and extremes of segments along a dimension. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/sums.h"

enum reduction { SUM, MEAN, MAX, MIN, PROD, N_REDUCTIONS };

/* Data of [rows, size, inner]; each row has its own segments. */
struct segments {
    enum reduction reduction;
    const double *data;
    int64_t rows, size, inner, n;
    int64_t *starts, *ends; /* [rows, n] */
    bool has_initial, narrow;
    double initial;
};

static enum dg_status read_reduction(struct dg_call *call, enum reduction *reduction)
{
    static const char *const names[] = {"sum", "mean", "max", "min", "prod"};
    const char *name = call->n_args > 1 && call->args[1].kind == DG_ARG_STRING
                           ? call->args[1].as.string
                           : "";

    for (int i = 0; i < N_REDUCTIONS; i++) {
        if (!strcmp(name, names[i])) {
            *reduction = (enum reduction)i;
            return DG_OK;
        }
    }
    return dg_call_fail(call, DG_ERR_FORMAT, "no reduction is named \"%.40s\"", name);
}

/* Lengths or offsets: a tensor of integers whose last dimension is the axis, behind
 * those of the data. */
static enum dg_status check_bounds(struct dg_call *call, const struct dg_tensor *data,
                                   const struct dg_tensor *bounds, int axis)
{
    if ((bounds->type != DG_TYPE_I32 && bounds->type != DG_TYPE_I64) ||
        bounds->rank != axis + 1)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "bounds of segments along dimension %d of %s and rank %d",
                            axis, dg_type_name(bounds->type), bounds->rank);
    for (int dim = 0; dim < axis; dim++) {
        if (bounds->sizes[dim] != data->sizes[dim])
            return dg_call_fail(
                call, DG_ERR_FORMAT, "bounds of %lld rows for %lld in dimension %d",
                (long long)bounds->sizes[dim], (long long)data->sizes[dim], dim);
    }
    return DG_OK;
}

/* Segments of row `row` from the numbers of it. */
static enum dg_status place_row(struct dg_call *call, struct segments *segments,
                                const int64_t *numbers, int64_t row, bool offsets)
{
    int64_t at = 0;

    for (int64_t i = 0; i < segments->n; i++) {
        int64_t *start = &segments->starts[row * segments->n + i];
        int64_t *end = &segments->ends[row * segments->n + i];

        *start = offsets ? numbers[i] : at;
        if (offsets)
            *end = numbers[i + 1];
        else if (__builtin_add_overflow(at, numbers[i], end))
            *end = -1;
        if (*start < 0 || *end < *start || *end > segments->size)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "segment %lld is from %lld to %lld of %lld",
                                (long long)i, (long long)*start, (long long)*end,
                                (long long)segments->size);
        at = *end;
    }
    if (!offsets && at != segments->size && !dg_arg_bool(call, 6, false))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "segments of %lld elements together, of %lld",
                            (long long)at, (long long)segments->size);
    return DG_OK;
}

/* Offsets count where there are both. */
static enum dg_status place(struct dg_call *call, struct segments *segments,
                            const struct dg_tensor *data, int axis)
{
    struct dg_tensor *lengths = dg_arg_tensor(call, 2);
    struct dg_tensor *offsets = dg_arg_tensor(call, 4), *numbers;
    struct dg_tensor *bounds = offsets ? offsets : lengths;
    int64_t each;
    enum dg_status status;

    if (!bounds || dg_arg_tensor(call, 3))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "segments have lengths or offsets, and no indices");
    status = check_bounds(call, data, bounds, axis);
    if (status)
        return status;
    each = bounds->sizes[axis];
    segments->n = offsets ? each - 1 : each;
    if (segments->n < 0 || (!each && dg_tensor_count(data)))
        return dg_call_fail(call, DG_ERR_FORMAT, "no segment of %lld elements",
                            (long long)segments->size);
    numbers = dg_as_type(call, bounds, DG_TYPE_I64);
    segments->starts =
        dg_scratch(call, dg_tensor_count(bounds), sizeof(*segments->starts));
    segments->ends = dg_scratch(call, dg_tensor_count(bounds), sizeof(*segments->ends));
    if (!numbers || !segments->starts || !segments->ends)
        status = call->err->status;
    /* Rows that have no segments may be without end. */
    for (int64_t row = 0; !status && row < segments->rows && segments->n; row++)
        status =
            place_row(call, segments, (int64_t *)dg_tensor_data(numbers) + row * each,
                      row, offsets);
    dg_tensor_drop(numbers);
    return status;
}

/* NaN stays, once it was seen. */
static double extreme(double so_far, double value, bool greatest)
{
    if (isnan(value))
        return value;
    return (greatest ? so_far < value : value < so_far) ? value : so_far;
}

static double reduce(const struct segments *segments, const double *line, int64_t n)
{
    static const double starts[] = {0, 0, -INFINITY, INFINITY, 1};
    enum reduction how = segments->reduction;
    double value = segments->has_initial ? segments->initial : starts[how];

    if (how == SUM || how == MEAN)
        value += dg_sum_line(line, n, segments->narrow);
    for (int64_t i = 0; i < n && how != SUM && how != MEAN; i++)
        value = how == PROD ? value * line[i] : extreme(value, line[i], how == MAX);
    if (how == MEAN && (n || !segments->has_initial))
        value /= (double)n;
    return value;
}

/* Segment `i` of a row, all inner elements. */
static void reduce_segment(const struct segments *segments, int64_t row, int64_t i,
                           double *line, struct dg_tensor *out)
{
    int64_t start = segments->starts[row * segments->n + i];
    int64_t n = segments->ends[row * segments->n + i] - start;
    const double *from =
        segments->data + (row * segments->size + start) * segments->inner;

    for (int64_t k = 0; k < segments->inner; k++) {
        for (int64_t j = 0; j < n; j++)
            line[j] = from[j * segments->inner + k];
        dg_put_real(out, (row * segments->n + i) * segments->inner + k,
                    reduce(segments, line, n));
    }
}

static enum dg_status run(struct dg_call *call, struct segments *segments,
                          struct dg_tensor *data, int axis)
{
    double *line = dg_scratch(call, segments->size, sizeof(*line));
    int64_t sizes[DG_RANK_MOST];
    struct dg_tensor *out;

    memcpy(sizes, data->sizes, sizeof(sizes));
    sizes[axis] = segments->n;
    out = dg_result(call, 0, data->type, data->rank, sizes);
    segments->data = dg_load_all(call, data);
    if (!line || !out || !segments->data)
        return call->err->status;
    for (int64_t row = 0; row < segments->rows && segments->n; row++) {
        for (int64_t i = 0; i < segments->n; i++)
            reduce_segment(segments, row, i, line, out);
    }
    return DG_OK;
}

/* data, reduce, lengths, indices, offsets, axis, unsafe, initial */
enum dg_status dg_cpu_segment_reduce(struct dg_call *call)
{
    struct dg_tensor *data = dg_need_tensor(call, 0);
    struct segments segments = {0};
    enum dg_status status;
    int axis;

    if (!data || !dg_dimension(call, dg_arg_int(call, 5, 0), data->rank, &axis))
        return call->err->status;
    if (!dg_type_is_float(data->type) || !data->rank)
        return dg_call_fail(call, DG_ERR_FORMAT, "segments of %s of rank %d",
                            dg_type_name(data->type), data->rank);
    status = read_reduction(call, &segments.reduction);
    if (status)
        return status;
    if (!dg_shape_count(axis, data->sizes, DG_TYPE_F64, &segments.rows) ||
        !dg_shape_count(data->rank - axis - 1, data->sizes + axis + 1, DG_TYPE_F64,
                        &segments.inner))
        return dg_call_fail(call, DG_ERR_FORMAT, "segments of too many rows");
    segments.size = data->sizes[axis];
    segments.has_initial = !dg_arg_missing(call, 7);
    segments.initial = dg_arg_real(call, 7, 0);
    segments.narrow = dg_sums_are_narrow(call->context, data->type);
    status = place(call, &segments, data, axis);
    return status ? status : run(call, &segments, data, axis);
}
