/* Sliding windows as columns, and back: im2col, col2im. */
#include "kernels/cpu/line.h"
#include "kernels/cpu/movement.h"
#include "kernels/cpu/parallel.h"
#include "kernels/cpu/walk.h"

/* For rows and columns of an image. */
struct windows {
    int64_t size[2], kernel[2], dilation[2], padding[2], stride[2];
    int64_t n[2]; /* windows */
    int64_t batch, channels;
};

/* Lists of one or two numbers from argument `first` on. */
static bool read_pairs(struct dg_call *call, size_t first, int64_t *const *pairs, int n)
{
    for (int i = 0; i < n; i++) {
        int count = dg_arg_ints(call, first + (size_t)i, pairs[i], 2);

        if (count < 1) {
            if (!count)
                dg_call_fail(call, DG_ERR_FORMAT, "argument %zu is no list of numbers",
                             first + (size_t)i);
            return false;
        }
        if (count == 1)
            pairs[i][1] = pairs[i][0];
    }
    return true;
}

/* How many windows fit each way. */
static enum dg_status count_windows(struct dg_call *call, struct windows *windows)
{
    for (int i = 0; i < 2; i++) {
        int64_t size = windows->size[i], kernel = windows->kernel[i];
        int64_t dilation = windows->dilation[i], padding = windows->padding[i];
        const int64_t most = INT64_C(1) << 30;

        if (size < 0 || size > most || kernel < 1 || kernel > most || dilation < 1 ||
            dilation > most || padding < 0 || padding > most ||
            windows->stride[i] < 1 || windows->stride[i] > most ||
            size + 2 * padding < dilation * (kernel - 1) + 1)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "windows of %lld, dilation %lld, padding %lld, stride "
                                "%lld over a dimension of size %lld",
                                (long long)kernel, (long long)dilation,
                                (long long)padding, (long long)windows->stride[i],
                                (long long)size);
        windows->n[i] =
            (size + 2 * padding - dilation * (kernel - 1) - 1) / windows->stride[i] + 1;
    }
    return DG_OK;
}

/* Where element `k` of window `w` lies; outside of the image it may be anything. */
static int64_t place(const struct windows *windows, int i, int64_t w, int64_t k)
{
    return w * windows->stride[i] + k * windows->dilation[i] - windows->padding[i];
}

static bool inside(const struct windows *windows, int i, int64_t at)
{
    return at >= 0 && at < windows->size[i];
}

/* Result 0 of [batch, rows, columns], without the batch when the input has none. */
static struct dg_tensor *give_matrix(struct dg_call *call, const struct dg_tensor *self,
                                     bool batched, const int64_t *sizes, int rank)
{
    return dg_result(call, 0, self->type, rank - !batched, sizes + !batched);
}

struct filling {
    const struct windows *windows;
    const char *from;
    char *to;
    size_t bytes;
};

/* Rows of the result: an element of the kernel, of a channel, of an image. */
static void fill_rows(void *data, int64_t first, int64_t end)
{
    const struct filling *filling = data;
    const struct windows *w = filling->windows;
    int64_t kernel = w->kernel[0] * w->kernel[1], length = w->n[0] * w->n[1];

    for (int64_t row = first; row < end; row++) {
        int64_t k = row % kernel, image = row / kernel;

        for (int64_t i = 0; i < length; i++) {
            int64_t y = place(w, 0, i / w->n[1], k / w->kernel[1]);
            int64_t x = place(w, 1, i % w->n[1], k % w->kernel[1]);
            int64_t from = (image * w->size[0] + y) * w->size[1] + x;
            char *to = filling->to + (size_t)(row * length + i) * filling->bytes;

            if (inside(w, 0, y) && inside(w, 1, x))
                dg_move_line(filling->bytes, to, 1,
                             filling->from + (size_t)from * filling->bytes, 1, 1);
            else
                dg_move_line(filling->bytes, to, 1, (const char *)&(int64_t){0}, 1, 1);
        }
    }
}

static enum dg_status open_image(struct dg_call *call, const struct dg_tensor *self,
                                 int rank, struct windows *windows)
{
    if (self->rank != rank && self->rank != rank - 1)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "an input of rank %d; %d or %d is needed", self->rank,
                            rank - 1, rank);
    windows->batch = self->rank == rank ? self->sizes[0] : 1;
    windows->channels = self->sizes[self->rank - rank + 1];
    return DG_OK;
}

/* aten::im2col: self, kernel_size, dilation, padding, stride. */
enum dg_status dg_cpu_im2col(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *out, *image;
    struct windows w = {0};
    struct filling filling;
    int64_t sizes[3];

    if (!self || open_image(call, self, 4, &w) ||
        !read_pairs(call, 1,
                    (int64_t *const[]){w.kernel, w.dilation, w.padding, w.stride}, 4))
        return call->err->status;
    w.size[0] = self->sizes[self->rank - 2];
    w.size[1] = self->sizes[self->rank - 1];
    if (count_windows(call, &w))
        return call->err->status;
    sizes[0] = w.batch;
    sizes[2] = w.n[0] * w.n[1];
    if (__builtin_mul_overflow(w.channels, w.kernel[0] * w.kernel[1], &sizes[1]))
        return dg_call_fail(call, DG_ERR_FORMAT, "the result is too large");
    out = give_matrix(call, self, self->rank == 4, sizes, 3);
    image = out ? dg_contiguous(call, self) : NULL;
    if (!image)
        return call->err->status;
    filling = (struct filling){&w, dg_tensor_data(image), dg_tensor_data(out),
                               dg_type_bytes(out->type)};
    if (dg_tensor_count(out))
        dg_parallel(call->context->n_threads, sizes[0] * sizes[1],
                    (1 << 13) / sizes[2] + 1, fill_rows, &filling);
    dg_tensor_drop(image);
    return DG_OK;
}

struct folding {
    const struct windows *windows;
    const double *from;
    struct dg_tensor *out;
    bool f32_steps;
};

/* The sum of all window elements that lie on one pixel. */
static double pixel(const struct folding *folding, int64_t image, int64_t y, int64_t x)
{
    const struct windows *w = folding->windows;
    int64_t length = w->n[0] * w->n[1], kernel = w->kernel[0] * w->kernel[1];
    double sum = 0;

    for (int64_t k = 0; k < kernel; k++) {
        int64_t top = y - place(w, 0, 0, k / w->kernel[1]);
        int64_t left = x - place(w, 1, 0, k % w->kernel[1]);
        int64_t row = top / w->stride[0], column = left / w->stride[1];

        if (top < 0 || left < 0 || top % w->stride[0] || left % w->stride[1] ||
            row >= w->n[0] || column >= w->n[1])
            continue;
        sum += folding->from[(image * kernel + k) * length + row * w->n[1] + column];
        sum = folding->f32_steps ? (double)(float)sum : sum;
    }
    return sum;
}

static void fold_rows(void *data, int64_t first, int64_t end)
{
    const struct folding *folding = data;
    const struct windows *w = folding->windows;
    size_t bytes = dg_type_bytes(folding->out->type);

    for (int64_t row = first; row < end; row++) {
        char *to =
            (char *)dg_tensor_data(folding->out) + (size_t)(row * w->size[1]) * bytes;

        for (int64_t x = 0; x < w->size[1]; x++) {
            double sum = pixel(folding, row / w->size[0], row % w->size[0], x);

            dg_store_f64(folding->out->type, to + (size_t)x * bytes, 1, &sum, 1);
        }
    }
}

static enum dg_status fold(struct dg_call *call, struct dg_tensor *self,
                           struct windows *w, struct dg_tensor *out)
{
    struct dg_tensor *wide = dg_tensor_new(call->context->memory, DG_TYPE_F64,
                                           self->rank, self->sizes, call->err);
    struct folding folding = {w, NULL, out,
                              call->context->precision == DG_PRECISION_OWN_SUMS &&
                                  out->type != DG_TYPE_F64};

    if (!wide)
        return call->err->status;
    dg_copy_elements(wide, self, call->context->n_threads);
    folding.from = dg_tensor_data(wide);
    if (dg_tensor_count(out))
        dg_parallel(call->context->n_threads, w->batch * w->channels * w->size[0],
                    (1 << 12) / w->size[1] + 1, fold_rows, &folding);
    dg_tensor_drop(wide);
    return DG_OK;
}

/* aten::col2im: self, output_size, kernel_size, dilation, padding, stride. */
enum dg_status dg_cpu_col2im(struct dg_call *call)
{
    struct dg_tensor *self = dg_need_tensor(call, 0), *out;
    struct windows w = {0};
    int64_t sizes[4];

    if (!self || open_image(call, self, 3, &w) ||
        !read_pairs(
            call, 1,
            (int64_t *const[]){w.size, w.kernel, w.dilation, w.padding, w.stride}, 5) ||
        count_windows(call, &w))
        return call->err->status;
    if (w.channels % (w.kernel[0] * w.kernel[1]) ||
        self->sizes[self->rank - 1] != w.n[0] * w.n[1])
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "%lld columns of %lld elements; there are %lld windows of "
                            "%lld",
                            (long long)self->sizes[self->rank - 1],
                            (long long)w.channels, (long long)(w.n[0] * w.n[1]),
                            (long long)(w.kernel[0] * w.kernel[1]));
    w.channels /= w.kernel[0] * w.kernel[1];
    sizes[0] = w.batch;
    sizes[1] = w.channels;
    sizes[2] = w.size[0];
    sizes[3] = w.size[1];
    out = give_matrix(call, self, self->rank == 3, sizes, 4);
    return out ? fold(call, self, &w, out) : call->err->status;
}
