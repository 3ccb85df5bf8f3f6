/* Short-time Fourier transforms: of frames of a signal, and back. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "base/promote.h"
#include "kernels/cpu/complex.h"
#include "kernels/cpu/fft.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/walk.h"

enum padding { CONSTANT, REFLECT, REPLICATE, CIRCULAR, N_PADDINGS };

/* Frames of n_fft points, each `hop` behind the one before. */
struct frames {
    struct dg_call *call;
    struct dg_tensor *self;
    int64_t n_fft, hop, n_window, n, rows;
    double complex *window; /* n_fft points */
    bool complex_window, normalized, one_sided;
    enum dg_type part; /* of the results: what their parts are */
    struct dg_fft fft;
    double complex *line, *room; /* for one frame */
};

/* Argument 4: the middle of n_fft points; the others are 0. */
static enum dg_status read_window(struct frames *frames)
{
    struct dg_call *call = frames->call;
    struct dg_tensor *window = dg_arg_tensor(call, 4);
    double complex *to = dg_scratch(call, frames->n_fft, sizeof(*frames->window));

    frames->window = to;
    if (!to)
        return call->err->status;
    to += (frames->n_fft - frames->n_window) / 2;
    for (int64_t i = 0; i < frames->n_window && !window; i++)
        to[i] = 1;
    if (!window)
        return DG_OK;
    if (window->rank != 1 || window->sizes[0] != frames->n_window)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a window of rank %d where %lld points are needed",
                            window->rank, (long long)frames->n_window);
    frames->complex_window = dg_type_is_complex(window->type);
    frames->part = dg_type_part(dg_promote(frames->self->type, window->type));
    if (frames->part == DG_TYPE_NONE)
        return dg_call_fail(call, DG_ERR_DEVICE, "a window of %s",
                            dg_type_name(window->type));
    dg_load_complex(to, window->type, dg_tensor_data(window), window->strides[0],
                    frames->n_window);
    return DG_OK;
}

/* Arguments: self, n_fft, hop_length, win_length, window. */
static enum dg_status begin(struct dg_call *call, struct frames *frames, bool forward)
{
    *frames = (struct frames){.call = call, .self = dg_need_tensor(call, 0)};
    if (!frames->self)
        return call->err->status;
    frames->part = dg_type_part(frames->self->type);
    frames->n_fft = dg_arg_int(call, 1, 0);
    frames->hop = dg_arg_int(call, 2, frames->n_fft / 4);
    frames->n_window = dg_arg_int(call, 3, frames->n_fft);
    if (frames->part == DG_TYPE_F16 || frames->part == DG_TYPE_BF16)
        return dg_call_fail(call, DG_ERR_DEVICE, "transforms of %s",
                            dg_type_name(frames->part));
    if (!dg_type_is_float(frames->part) || frames->n_fft < 1 ||
        frames->n_fft > INT64_MAX / 4 || frames->hop < 1 || frames->n_window < 1 ||
        frames->n_window > frames->n_fft)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "frames of %lld points of %s, %lld apart, in windows of "
                            "%lld",
                            (long long)frames->n_fft, dg_type_name(frames->self->type),
                            (long long)frames->hop, (long long)frames->n_window);
    if (read_window(frames) || !dg_fft_plan(&frames->fft, call, frames->n_fft, forward))
        return call->err->status;
    frames->fft.in_f32 = call->context->precision == DG_PRECISION_OWN_SUMS &&
                         frames->part != DG_TYPE_F64;
    frames->line = dg_scratch(call, frames->n_fft, sizeof(*frames->line));
    frames->room = dg_scratch(call, dg_fft_room(&frames->fft), sizeof(*frames->room));
    return frames->line && frames->room ? DG_OK : call->err->status;
}

/* Real windows scale both parts: an infinite one does not spoil the other. */
static double complex weighed(const struct frames *frames, double complex value,
                              int64_t i)
{
    double complex weight = frames->window[i];

    return frames->complex_window ? dg_complex_times(value, weight)
                                  : value * creal(weight);
}

/* A signal that goes on for `margin` points at both ends. */
struct signal {
    double complex *points; /* [rows, n] */
    int64_t n, margin;
    enum padding padding;
};

/* The point that stands at `i` of the padded signal; -1: none, 0 does. */
static int64_t source_of(const struct signal *signal, int64_t i)
{
    int64_t at = i - signal->margin, n = signal->n;

    if (at >= 0 && at < n)
        return at;
    switch (signal->padding) {
    case REFLECT:
        return at < 0 ? -at : 2 * (n - 1) - at;
    case REPLICATE:
        return at < 0 ? 0 : n - 1;
    case CIRCULAR:
        return at < 0 ? at + n : at - n;
    default:
        return -1;
    }
}

static enum dg_status read_padding(struct dg_call *call, struct signal *signal,
                                   size_t at)
{
    static const char *const names[] = {"constant", "reflect", "replicate", "circular"};
    const char *name = call->n_args > at && call->args[at].kind == DG_ARG_STRING
                           ? call->args[at].as.string
                           : "reflect";
    int64_t most[] = {INT64_MAX, signal->n - 1, signal->n ? INT64_MAX : 0, signal->n};

    for (int i = 0; i < N_PADDINGS; i++) {
        if (strcmp(name, names[i]))
            continue;
        signal->padding = (enum padding)i;
        return signal->margin <= most[i]
                   ? DG_OK
                   : dg_call_fail(call, DG_ERR_FORMAT,
                                  "%lld points cannot be padded by %lld",
                                  (long long)signal->n, (long long)signal->margin);
    }
    return dg_call_fail(call, DG_ERR_FORMAT, "no padding is named \"%.40s\"", name);
}

/* A vector, or one in each row. */
static enum dg_status read_signal(struct frames *frames, struct signal *signal)
{
    struct dg_tensor *self = frames->self, *dense;

    if (self->rank < 1 || self->rank > 2)
        return dg_call_fail(frames->call, DG_ERR_FORMAT, "a signal of rank %d",
                            self->rank);
    signal->n = self->sizes[self->rank - 1];
    frames->rows = self->rank == 2 ? self->sizes[0] : 1;
    dense = dg_flattened(frames->call, self);
    if (!dense)
        return frames->call->err->status;
    signal->points = dg_scratch(frames->call, dense->sizes[0], sizeof(*signal->points));
    if (signal->points)
        dg_load_complex(signal->points, dense->type, dg_tensor_data(dense), 1,
                        dense->sizes[0]);
    dg_tensor_drop(dense);
    return signal->points ? DG_OK : frames->call->err->status;
}

static void transform_frame(struct frames *frames, const struct signal *signal,
                            int64_t row, int64_t frame)
{
    for (int64_t i = 0; i < frames->n_fft; i++) {
        int64_t from = source_of(signal, frame * frames->hop + i);
        double complex value = from < 0 ? 0 : signal->points[row * signal->n + from];

        frames->line[i] = weighed(frames, value, i);
    }
    dg_fft_run(&frames->fft, frames->line, frames->room);
    for (int64_t i = 0; i < frames->n_fft && frames->normalized; i++)
        frames->line[i] *= 1 / sqrt((double)frames->n_fft);
}

/* [rows, frequencies, frames]: complex, or as pairs. */
static enum dg_status give_spectra(struct frames *frames, const struct signal *signal,
                                   bool pairs)
{
    int64_t n = frames->one_sided ? frames->n_fft / 2 + 1 : frames->n_fft;
    int64_t sizes[] = {frames->rows, n, frames->n, 2};
    int skipped = frames->self->rank == 1;
    struct dg_tensor *out =
        dg_result(frames->call, 0, pairs ? frames->part : dg_type_complex(frames->part),
                  3 - skipped + pairs, sizes + skipped);
    enum dg_type type;
    char *to;

    if (!out)
        return frames->call->err->status;
    type = pairs ? dg_type_complex(out->type) : out->type;
    to = dg_tensor_data(out);
    for (int64_t row = 0; row < frames->rows; row++) {
        for (int64_t frame = 0; frame < frames->n; frame++) {
            int64_t at = row * n * frames->n + frame;

            transform_frame(frames, signal, row, frame);
            dg_store_complex(type, to + at * (int64_t)dg_type_bytes(type), frames->n,
                             frames->line, n);
        }
    }
    return DG_OK;
}

/* Where the overloads have what follows the window; `center` 0: none. */
struct places {
    size_t center, normalized;
};

static enum dg_status stft(struct dg_call *call, struct places at)
{
    bool center = at.center && dg_arg_bool(call, at.center, true), is_complex;
    struct signal signal = {0};
    struct frames frames;
    int64_t length;

    if (begin(call, &frames, true) || read_signal(&frames, &signal))
        return call->err->status;
    is_complex = dg_type_is_complex(frames.self->type) || frames.complex_window;
    frames.normalized = dg_arg_bool(call, at.normalized, false);
    frames.one_sided = dg_arg_bool(call, at.normalized + 1, !is_complex);
    if (center)
        signal.margin = frames.n_fft / 2;
    else if (dg_arg_bool(call, at.normalized + 3, false))
        signal.margin = (frames.n_fft - frames.n_window) / 2;
    if (center && read_padding(call, &signal, at.center + 1))
        return call->err->status;
    length = signal.n + 2 * signal.margin;
    if (frames.n_fft > length || (frames.one_sided && is_complex) ||
        (!is_complex && dg_arg_missing(call, at.normalized + 2)))
        return dg_call_fail(
            call, DG_ERR_FORMAT, "%s spectra of frames of %lld points of %lld, %s",
            frames.one_sided ? "one-sided" : "whole", (long long)frames.n_fft,
            (long long)length, is_complex ? "complex" : "real");
    frames.n = (length - frames.n_fft) / frames.hop + 1;
    return give_spectra(&frames, &signal,
                        !dg_arg_bool(call, at.normalized + 2, is_complex));
}

enum dg_status dg_cpu_stft(struct dg_call *call)
{
    return stft(call, (struct places){0, 5});
}

enum dg_status dg_cpu_stft_center(struct dg_call *call)
{
    return stft(call, (struct places){5, 7});
}

/* What frames add up to, and their squared windows. */
struct overlap {
    double complex *sum, *envelope; /* of n points */
    int64_t n, start, end;
};

/* Frequencies of one frame into the line, as points of the signal. */
static void invert_frame(struct frames *frames, const struct dg_tensor *spectra,
                         int64_t row, int64_t frame, bool real)
{
    int64_t n = spectra->sizes[spectra->rank - 2];
    int64_t used = real ? frames->n_fft / 2 + 1 : n;
    int64_t at = row * n * frames->n + frame;
    double points = (double)frames->n_fft;

    dg_load_complex(frames->line, spectra->type,
                    (const char *)dg_tensor_data(spectra) +
                        at * (int64_t)dg_type_bytes(spectra->type),
                    frames->n, used);
    if (real)
        dg_fft_complete(frames->line, frames->n_fft);
    dg_fft_run(&frames->fft, frames->line, frames->room);
    for (int64_t i = 0; i < frames->n_fft; i++)
        frames->line[i] *= 1 / (frames->normalized ? sqrt(points) : points);
}

static void add_row(struct frames *frames, const struct dg_tensor *spectra, int64_t row,
                    bool real, struct overlap *overlap)
{
    memset(overlap->sum, 0, (size_t)overlap->n * sizeof(*overlap->sum));
    memset(overlap->envelope, 0, (size_t)overlap->n * sizeof(*overlap->envelope));
    for (int64_t frame = 0; frame < frames->n; frame++) {
        invert_frame(frames, spectra, row, frame, real);
        for (int64_t i = 0; i < frames->n_fft; i++) {
            int64_t at = frame * frames->hop + i;

            overlap->sum[at] += weighed(frames, frames->line[i], i);
            overlap->envelope[at] += weighed(frames, frames->window[i], i);
        }
    }
}

/* What windows did is undone; the result goes on with zeros where it is longer. */
static enum dg_status give_row(struct frames *frames, const struct overlap *overlap,
                               int64_t row, struct dg_tensor *out)
{
    int64_t n = overlap->end - overlap->start;
    size_t bytes = dg_type_bytes(out->type);
    char *to = (char *)dg_tensor_data(out) + (size_t)(row * n) * bytes;

    for (int64_t i = 0; i < n; i++) {
        int64_t at = overlap->start + i;
        double complex value = at < overlap->n ? overlap->sum[at] : 0;
        double complex window = at < overlap->n ? overlap->envelope[at] : 1;
        double size = creal(window) * creal(window) + cimag(window) * cimag(window);

        if (!(sqrt(size) >= 1e-11))
            return dg_call_fail(frames->call, DG_ERR_FORMAT,
                                "no window covers point %lld", (long long)at);
        if (frames->complex_window)
            value = dg_complex_times(value, conj(window)) / size;
        else
            value /= creal(window);
        dg_store_complex(out->type, to + (size_t)i * bytes, 1, &value, 1);
    }
    return DG_OK;
}

static enum dg_status read_spectra(struct frames *frames, struct overlap *overlap)
{
    struct dg_call *call = frames->call;
    struct dg_tensor *self = frames->self;
    bool center = dg_arg_bool(call, 5, true), whole,
         real = !dg_arg_bool(call, 9, false);
    int64_t n, length = dg_arg_int(call, 8, 0);

    if (!dg_type_is_complex(self->type) || self->rank < 2 || self->rank > 3 ||
        !dg_tensor_count(self))
        return dg_call_fail(call, DG_ERR_FORMAT, "spectra of %s and rank %d",
                            dg_type_name(self->type), self->rank);
    n = self->sizes[self->rank - 2];
    frames->n = self->sizes[self->rank - 1];
    frames->rows = self->rank == 3 ? self->sizes[0] : 1;
    frames->normalized = dg_arg_bool(call, 6, false);
    frames->one_sided = dg_arg_bool(call, 7, n != frames->n_fft);
    whole = n == (frames->one_sided ? frames->n_fft / 2 + 1 : frames->n_fft);
    if (!whole || frames->hop > frames->n_window || (!real && frames->one_sided) ||
        (real && frames->complex_window))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld frequencies of frames of %lld points, %lld apart",
                            (long long)n, (long long)frames->n_fft,
                            (long long)frames->hop);
    if (__builtin_mul_overflow(frames->hop, frames->n - 1, &overlap->n) ||
        __builtin_add_overflow(overlap->n, frames->n_fft, &overlap->n))
        return dg_call_fail(call, DG_ERR_FORMAT, "a signal larger than memory");
    overlap->start = center ? frames->n_fft / 2 : 0;
    overlap->end = overlap->n - overlap->start;
    if (!dg_arg_missing(call, 8) &&
        __builtin_add_overflow(overlap->start, length, &overlap->end))
        overlap->end = 0;
    return overlap->end > overlap->start
               ? DG_OK
               : dg_call_fail(call, DG_ERR_FORMAT, "a signal of no points");
}

/* self, n_fft, hop_length, win_length, window, center, normalized, onesided, length,
 * return_complex */
enum dg_status dg_cpu_istft(struct dg_call *call)
{
    bool real = !dg_arg_bool(call, 9, false);
    struct overlap overlap = {0};
    struct frames frames;
    struct dg_tensor *spectra, *out;
    enum dg_status status;
    int64_t sizes[2];

    if (begin(call, &frames, false) || read_spectra(&frames, &overlap))
        return call->err->status;
    overlap.sum = dg_scratch(call, overlap.n, sizeof(*overlap.sum));
    overlap.envelope = dg_scratch(call, overlap.n, sizeof(*overlap.envelope));
    sizes[0] = frames.rows;
    sizes[1] = overlap.end - overlap.start;
    out = dg_result(call, 0, real ? frames.part : dg_type_complex(frames.part),
                    frames.self->rank - 1, sizes + (frames.self->rank == 2));
    if (!overlap.sum || !overlap.envelope || !out)
        return call->err->status;
    spectra = dg_contiguous(call, frames.self);
    if (!spectra)
        return call->err->status;
    status = DG_OK;
    for (int64_t row = 0; !status && row < frames.rows; row++) {
        add_row(&frames, spectra, row, real, &overlap);
        status = give_row(&frames, &overlap, row, out);
    }
    dg_tensor_drop(spectra);
    return status;
}
