/* Windows of pooling: sizes of the output and parts of the input. */
#include "kernels/cpu/window.h"

#include "kernels/cpu/parallel.h"
#include "kernels/cpu/walk.h"

/* Beyond int64_t only where a tensor has none of them, or cannot be made. */
static int64_t count_of(const int64_t *sizes)
{
    int64_t count = 1;

    for (int i = 0; i < DG_SPACE_MOST; i++) {
        if (__builtin_mul_overflow(count, sizes[i], &count))
            return (int64_t)1 << 62;
    }
    return count;
}

enum dg_status dg_planes_begin(struct dg_planes *planes, struct dg_call *call,
                               const struct dg_tensor *in, int n_space)
{
    *planes = (struct dg_planes){.n = 1, .rank = in ? in->rank : 0};
    if (!in)
        return dg_call_fail(call, DG_ERR_FORMAT, "the input is not a tensor");
    if (in->type >= DG_TYPE_F8E5M2)
        return dg_call_fail(call, DG_ERR_DEVICE, "no arithmetic on %s",
                            dg_type_name(in->type));
    if (in->rank != n_space + 1 && in->rank != n_space + 2)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a tensor of rank %d or %d is needed, and the rank is %d",
                            n_space + 1, n_space + 2, in->rank);
    for (int i = 0; i < DG_SPACE_MOST; i++)
        planes->in[i] = planes->out[i] = 1;
    for (int dim = 0; dim < in->rank; dim++) {
        int space = dim - in->rank + DG_SPACE_MOST;

        planes->sizes[dim] = in->sizes[dim];
        if (in->sizes[dim] > INT32_MAX)
            return dg_call_fail(call, DG_ERR_DEVICE, "dimension %d is larger than 2^31",
                                dim);
        if (dim < in->rank - n_space)
            planes->n *= in->sizes[dim];
        else
            planes->in[space] = in->sizes[dim];
    }
    planes->in_count = count_of(planes->in);
    return DG_OK;
}

void dg_planes_end(struct dg_planes *planes, int n_space)
{
    planes->out_count = count_of(planes->out);
    for (int i = 0; i < n_space; i++)
        planes->sizes[planes->rank - 1 - i] = planes->out[DG_SPACE_MOST - 1 - i];
}

struct pieces {
    const struct dg_planes *planes;
    void (*fn)(void *data, const struct dg_piece *piece);
    void *data;
};

static void run_rows(void *data, int64_t from, int64_t to)
{
    const struct pieces *pieces = data;
    const int64_t *out = pieces->planes->out;

    for (int64_t row = from; row < to; row++) {
        struct dg_piece piece = {.plane = row / out[1] / out[0],
                                 .z = row / out[1] % out[0],
                                 .y = row % out[1]};

        for (; piece.x < out[2]; piece.x += piece.n) {
            piece.n = out[2] - piece.x < DG_LINE_MOST ? out[2] - piece.x : DG_LINE_MOST;
            piece.at = row * out[2] + piece.x;
            pieces->fn(pieces->data, &piece);
        }
    }
}

void dg_each_piece(const struct dg_planes *planes, int n_threads, int64_t cost,
                   void (*fn)(void *data, const struct dg_piece *piece), void *data)
{
    int64_t n_rows = planes->n && planes->out[2] ? planes->out[0] * planes->out[1] : 0;

    dg_parallel(n_threads, planes->n * n_rows,
                (1 << 15) / (planes->out[2] * cost + 16) + 1, run_rows,
                &(struct pieces){planes, fn, data});
}

struct dg_span dg_window(const struct dg_window_axis *axis, int64_t o)
{
    struct dg_span span = {.step = axis->dilation};
    int64_t limit = axis->in + axis->padding;

    if (axis->adaptive) {
        span.first = o * axis->in / axis->out;
        span.end = ((o + 1) * axis->in + axis->out - 1) / axis->out;
        span.extent = span.end - span.first;
        return span;
    }
    span.first = o * axis->stride - axis->padding;
    span.end = span.first + (axis->kernel - 1) * axis->dilation + 1;
    span.end = span.end < limit ? span.end : limit;
    span.extent = span.end - span.first;
    if (span.first < 0)
        span.first +=
            (axis->dilation - 1 - span.first) / axis->dilation * axis->dilation;
    span.end = span.end < axis->in ? span.end : axis->in;
    return span;
}

/* Numbers of argument `i`, one for each of the last n_space axes; a single one is for
 * all of them. */
static enum dg_status read_numbers(struct dg_call *call, size_t i, int n_space,
                                   int64_t least, int64_t *values)
{
    int64_t numbers[DG_SPACE_MOST];
    int n = dg_arg_ints(call, i, numbers, DG_SPACE_MOST);

    if (n < 0)
        return call->err->status;
    if (n && n != 1 && n != n_space)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "argument %zu lists %d numbers for %d dimensions", i, n,
                            n_space);
    for (int k = 0; n && k < n_space; k++) {
        int64_t value = numbers[n == 1 ? 0 : k];

        if (value < least || value > INT32_MAX)
            return dg_call_fail(call, DG_ERR_FORMAT, "argument %zu is %lld", i,
                                (long long)value);
        values[DG_SPACE_MOST - n_space + k] = value;
    }
    return DG_OK;
}

static int64_t divide_down(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

/* The number of windows; the last one starts inside the input or the padding before it.
 */
static int64_t count_windows(const struct dg_window_axis *axis, bool ceil_mode)
{
    int64_t room =
        axis->in + 2 * axis->padding - axis->dilation * (axis->kernel - 1) - 1;
    int64_t n =
        divide_down(room + (ceil_mode ? axis->stride - 1 : 0), axis->stride) + 1;

    if (ceil_mode && (n - 1) * axis->stride >= axis->in + axis->padding)
        n--;
    return n;
}

static enum dg_status check_axis(struct dg_call *call,
                                 const struct dg_window_axis *axis)
{
    if (axis->padding > (axis->dilation * (axis->kernel - 1) + 1) / 2)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a padding of %lld is more than half of a window of %lld",
                            (long long)axis->padding, (long long)axis->kernel);
    if (axis->out < 1)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "no window of %lld fits into a dimension of size %lld",
                            (long long)axis->kernel, (long long)axis->in);
    return DG_OK;
}

static int64_t span_length(const struct dg_span *span)
{
    return span->end > span->first ? (span->end - span->first - 1) / span->step + 1 : 0;
}

int64_t dg_window_size(const struct dg_span *spans, bool count_padding)
{
    int64_t inside = 1, extent = 1;

    for (int i = 0; i < DG_SPACE_MOST; i++) {
        inside *= span_length(&spans[i]);
        extent *= spans[i].extent;
    }
    return inside && count_padding ? extent : inside;
}

/* The stride is that of the kernel where the argument is missing or an empty list. */
static bool has_stride(const struct dg_call *call, size_t at)
{
    return !dg_arg_missing(call, at) &&
           (call->args[at].kind != DG_ARG_LIST || call->args[at].as.list.n_items);
}

enum dg_status dg_windows_begin(struct dg_window_axis *axes, struct dg_planes *planes,
                                struct dg_call *call, size_t in, int n_space,
                                bool dilated)
{
    int64_t kernel[] = {1, 1, 1}, stride[] = {1, 1, 1}, padding[] = {0, 0, 0};
    int64_t dilation[] = {1, 1, 1};
    bool ceil_mode = dg_arg_bool(call, in + (dilated ? 5 : 4), false);
    enum dg_status status =
        dg_planes_begin(planes, call, dg_arg_tensor(call, in), n_space);

    if (!status)
        status = read_numbers(call, in + 1, n_space, 1, kernel);
    if (!status)
        status = read_numbers(call, in + (has_stride(call, in + 2) ? 2 : 1), n_space, 1,
                              stride);
    if (!status)
        status = read_numbers(call, in + 3, n_space, 0, padding);
    if (!status && dilated)
        status = read_numbers(call, in + 4, n_space, 1, dilation);
    for (int i = 0; !status && i < DG_SPACE_MOST; i++) {
        axes[i] = (struct dg_window_axis){.in = planes->in[i],
                                          .kernel = kernel[i],
                                          .stride = stride[i],
                                          .padding = padding[i],
                                          .dilation = dilation[i]};
        planes->out[i] = axes[i].out = count_windows(&axes[i], ceil_mode);
        status = check_axis(call, &axes[i]);
    }
    if (!status)
        dg_planes_end(planes, n_space);
    return status;
}

void dg_adaptive_axes(struct dg_window_axis *axes, struct dg_planes *planes,
                      int n_space)
{
    for (int i = 0; i < DG_SPACE_MOST; i++)
        axes[i] = (struct dg_window_axis){.in = planes->in[i],
                                          .out = planes->out[i],
                                          .dilation = 1,
                                          .adaptive = true};
    dg_planes_end(planes, n_space);
}

enum dg_status dg_adaptive_begin(struct dg_window_axis *axes, struct dg_planes *planes,
                                 struct dg_call *call, int n_space)
{
    enum dg_status status =
        dg_planes_begin(planes, call, dg_arg_tensor(call, 0), n_space);

    if (!status)
        status = read_numbers(call, 1, n_space, 0, planes->out);
    if (!status)
        dg_adaptive_axes(axes, planes, n_space);
    return status;
}
