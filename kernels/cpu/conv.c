/* Convolutions as matrix products whose columns are read from the image as needed. */
#include "kernels/cpu/conv.h"

#include <string.h>

#include "kernels/cpu/gemm.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/vectorize.h"
#include "kernels/cpu/walk.h"

static int64_t ceil_divide(int64_t a, int64_t b)
{
    if (b == 1) /* most strides: a division takes as long as reading a row */
        return a;
    return a > 0 ? (a + b - 1) / b : -(-a / b);
}

void dg_conv_range(const struct dg_conv_axis *axis, int64_t k, int64_t *from,
                   int64_t *to)
{
    int64_t shift = k * axis->dilation - axis->padding;

    *from = ceil_divide(-shift, axis->stride);
    *to = ceil_divide(axis->fine - shift, axis->stride);
    *from = *from < 0 ? 0 : *from;
    *to = *to > axis->coarse ? axis->coarse : *to;
}

/* The image that columns are read from, in the type of the sums: the fine one, or
 * growing the coarse one. */
struct image {
    const struct dg_conv *conv;
    bool grows;
    int64_t bytes; /* of an element */
};

static int64_t source_size(const struct image *image, int axis)
{
    const struct dg_conv_axis *sizes = &image->conv->axes[axis];

    return image->grows ? sizes->coarse : sizes->fine;
}

static int64_t result_size(const struct image *image, int axis)
{
    const struct dg_conv_axis *sizes = &image->conv->axes[axis];

    return image->grows ? sizes->fine : sizes->coarse;
}

/* The index that result index `i` reads for kernel element k; negative: none. */
static int64_t source_of(const struct image *image, int number, int64_t i, int64_t k)
{
    const struct dg_conv_axis *axis = &image->conv->axes[number];
    int64_t shift = k * axis->dilation - axis->padding;

    if (!image->grows)
        return i * axis->stride + shift < axis->fine ? i * axis->stride + shift : -1;
    if (i < shift || (i - shift) % axis->stride ||
        (i - shift) / axis->stride >= axis->coarse)
        return -1;
    return (i - shift) / axis->stride;
}

/* Elements of the image into `line` from `to` on. Of small images these are too few for
 * a call each. */
static inline void load(const struct image *image, void *line, int64_t to,
                        const char *from, int64_t stride, int64_t n)
{
    double *doubles = (double *)line + to;
    float *singles = (float *)line + to;
    const void *source = from;

    if (stride == 1) {
        memcpy((char *)line + to * image->bytes, from, (size_t)(n * image->bytes));
    } else if (image->bytes == sizeof(double)) {
        for (int64_t i = 0; i < n; i++)
            doubles[i] = ((const double *)source)[i * stride];
    } else {
        for (int64_t i = 0; i < n; i++)
            singles[i] = ((const float *)source)[i * stride];
    }
}

static inline void clear(const struct image *image, void *line, int64_t to, int64_t n)
{
    if (n > 0)
        memset((char *)line + to * image->bytes, 0, (size_t)(n * image->bytes));
}

/* Result columns at..at+n of one row, from the source row that starts at `row`, into
 * `line` from `to` on; those from `range[0]` to before `range[1]` have an element
 * there. */
static void read_shrinking(const struct image *image, const char *row, int64_t k,
                           const int64_t range[2], int64_t at, int64_t n, void *line,
                           int64_t to)
{
    const struct dg_conv_axis *axis = &image->conv->axes[2];
    int64_t first = range[0] < at ? at : range[0];
    int64_t last = range[1] > at + n ? at + n : range[1];
    int64_t source = first * axis->stride + k * axis->dilation - axis->padding;

    if (first >= last) {
        clear(image, line, to, n);
        return;
    }
    clear(image, line, to, first - at);
    load(image, line, to + first - at, row + source * image->bytes, axis->stride,
         last - first);
    clear(image, line, to + last - at, at + n - last);
}

/* The same where elements of the source are `stride` apart, and 0 lies between them. */
static void read_growing(const struct image *image, const char *row, int64_t k,
                         int64_t at, int64_t n, void *line, int64_t to)
{
    const struct dg_conv_axis *axis = &image->conv->axes[2];
    int64_t shift = k * axis->dilation - axis->padding;
    int64_t source = at > shift ? (at - shift + axis->stride - 1) / axis->stride : 0;
    int64_t first = shift + source * axis->stride - at;
    double *doubles = (double *)line + to;
    float *singles = (float *)line + to;
    const void *elements = row;

    clear(image, line, to, n);
    if (image->bytes == sizeof(double)) {
        for (int64_t i = first; i < n && source < axis->coarse; i += axis->stride)
            doubles[i] = ((const double *)elements)[source++];
    } else {
        for (int64_t i = first; i < n && source < axis->coarse; i += axis->stride)
            singles[i] = ((const float *)elements)[source++];
    }
}

struct place {
    int64_t channel, kernel[DG_CONV_AXES], result[DG_CONV_AXES];
};

/* Many processors divide what fits 32 bits several times as fast. */
static inline int64_t divide(int64_t a, int64_t b)
{
    return (a | b) >> 32 ? a / b : (int64_t)((uint32_t)a / (uint32_t)b);
}

/* The index along each axis of element `i` of what has those sizes along the last two.
 */
static inline void split(int64_t indices[DG_CONV_AXES], int64_t i, int64_t height,
                         int64_t width)
{
    int64_t rows = divide(i, width), images = divide(rows, height);

    indices[0] = images;
    indices[1] = rows - images * height;
    indices[2] = i - rows * width;
}

static struct place place_of(const struct image *image, int64_t row, int64_t column)
{
    const struct dg_conv_axis *axes = image->conv->axes;
    int64_t channel = divide(row, image->conv->n_kernel);
    struct place place = {.channel = channel};

    split(place.kernel, row - channel * image->conv->n_kernel, axes[1].kernel,
          axes[2].kernel);
    split(place.result, column, result_size(image, 1), result_size(image, 2));
    return place;
}

/* Where the source row begins; NULL in the padding. */
static const char *row_of(const struct image *image, const char *data,
                          const struct place *place)
{
    int64_t depth = source_of(image, 0, place->result[0], place->kernel[0]);
    int64_t height = source_of(image, 1, place->result[1], place->kernel[1]);
    int64_t row = place->channel * source_size(image, 0) + depth;

    if (depth < 0 || height < 0)
        return NULL;
    return data + (row * source_size(image, 1) + height) * source_size(image, 2) *
                      image->bytes;
}

/* Row (channel, kernel element) of the matrix that weights multiply: for each element
 * of the result the one that it reads, 0 in the padding. */
static void read_columns(const void *data, const char *b, int64_t row, int64_t from,
                         int64_t n, void *line)
{
    const struct image *image = data;
    struct place place = place_of(image, row, from);
    int64_t width = result_size(image, 2), height = result_size(image, 1);
    int64_t range[2];

    dg_conv_range(&image->conv->axes[2], place.kernel[2], &range[0], &range[1]);
    for (int64_t count, done = 0; done < n; done += count) {
        const char *source = row_of(image, b, &place);
        int64_t k = place.kernel[2], at = place.result[2];

        count = width - at < n - done ? width - at : n - done;
        if (!source)
            clear(image, line, done, count);
        else if (image->grows)
            read_growing(image, source, k, at, count, line, done);
        else
            read_shrinking(image, source, k, range, at, count, line, done);
        place.result[2] = 0;
        if (++place.result[1] == height) {
            place.result[1] = 0;
            place.result[0]++;
        }
    }
}

bool dg_conv_is_pointwise(const struct dg_conv *conv)
{
    for (int i = 0; i < DG_CONV_AXES; i++) {
        const struct dg_conv_axis *axis = &conv->axes[i];

        if (axis->kernel != 1 || axis->stride != 1 || axis->padding != 0 ||
            axis->fine != axis->coarse)
            return false;
    }
    return true;
}

/* One product for each sample and group; both sides are [samples, channels, n]. */
static struct dg_gemm products(const struct dg_conv *conv, const struct dg_tensor *bias)
{
    return (struct dg_gemm){
        .alpha = 1,
        .beta = bias ? 1 : 0,
        .batch_rank = 2,
        .batch_sizes = {conv->samples, conv->groups},
    };
}

static struct dg_gemm_matrix channels_of(const struct dg_tensor *tensor,
                                         int64_t channels, int64_t groups, int64_t n)
{
    return (struct dg_gemm_matrix){tensor->type,
                                   dg_tensor_data(tensor),
                                   n,
                                   1,
                                   {channels * n, channels / groups * n}};
}

static enum dg_type type_of_sums(const struct dg_gemm *gemm)
{
    return gemm->integers ? DG_TYPE_I64 : gemm->narrow ? DG_TYPE_F32 : DG_TYPE_F64;
}

static enum dg_status multiply(struct dg_call *call, const struct dg_conv *conv,
                               struct dg_gemm *gemm, const struct dg_tensor *weight,
                               const struct dg_tensor *bias, struct dg_tensor *source,
                               bool grows)
{
    struct dg_tensor *converted = NULL;
    struct image image = {conv, grows, 0};

    gemm->a = (struct dg_gemm_matrix){
        weight->type, dg_tensor_data(weight), gemm->k, 1, {0, gemm->m * gemm->k}};
    if (bias)
        gemm->add = (struct dg_gemm_matrix){bias->type,
                                            dg_tensor_data(bias),
                                            bias->strides[0],
                                            0,
                                            {0, gemm->m * bias->strides[0]}};
    gemm->integers = !dg_type_is_float(weight->type);
    gemm->narrow = dg_sums_are_narrow(call->context, weight->type);
    if (!dg_conv_is_pointwise(conv)) {
        converted = dg_as_type(call, source, type_of_sums(gemm));
        if (!converted)
            return call->err->status;
        gemm->b.type = converted->type;
        gemm->b.data = dg_tensor_data(converted);
        image.bytes = (int64_t)dg_type_bytes(converted->type);
        gemm->b_line = read_columns;
        gemm->narrow_lines = gemm->narrow;
        gemm->line_data = &image;
    }
    dg_gemm(call->context, gemm);
    dg_tensor_drop(converted);
    return DG_OK;
}

enum dg_status dg_conv_shrink(struct dg_call *call, const struct dg_conv *conv,
                              struct dg_tensor *fine, struct dg_tensor *weight,
                              struct dg_tensor *bias, struct dg_tensor *coarse)
{
    struct dg_gemm gemm = products(conv, bias);

    if (conv->fine_channels == conv->groups && !dg_conv_is_pointwise(conv) &&
        dg_type_is_float(fine->type))
        return dg_conv_depthwise(call, conv, fine, weight, bias, coarse);
    gemm.m = conv->coarse_channels / conv->groups;
    gemm.n = conv->n_coarse;
    gemm.k = conv->fine_channels / conv->groups * conv->n_kernel;
    gemm.b = channels_of(fine, conv->fine_channels, conv->groups, conv->n_fine);
    gemm.c = channels_of(coarse, conv->coarse_channels, conv->groups, conv->n_coarse);
    return multiply(call, conv, &gemm, weight, bias, fine, false);
}

/* [groups, coarse, fine, kernel] as [groups, fine, coarse, kernel] */
static struct dg_tensor turned_weight(const struct dg_conv *conv,
                                      const struct dg_tensor *weight)
{
    int64_t coarse = conv->coarse_channels / conv->groups;
    int64_t fine = conv->fine_channels / conv->groups, k = conv->n_kernel;
    struct dg_tensor turned = *weight;

    turned.rank = 4;
    memcpy(turned.sizes, (int64_t[]){conv->groups, fine, coarse, k}, 4 * sizeof(k));
    memcpy(turned.strides, (int64_t[]){coarse * fine * k, k, fine * k, 1},
           4 * sizeof(k));
    return turned;
}

enum dg_status dg_conv_grow(struct dg_call *call, const struct dg_conv *conv,
                            struct dg_tensor *coarse, struct dg_tensor *weight,
                            struct dg_tensor *bias, struct dg_tensor *fine)
{
    struct dg_gemm gemm = products(conv, bias);
    struct dg_tensor view = turned_weight(conv, weight);
    struct dg_tensor *turned = dg_contiguous(call, &view);
    enum dg_status status;

    if (!turned)
        return call->err->status;
    gemm.m = conv->fine_channels / conv->groups;
    gemm.n = conv->n_fine;
    gemm.k = conv->coarse_channels / conv->groups * conv->n_kernel;
    gemm.b = channels_of(coarse, conv->coarse_channels, conv->groups, conv->n_coarse);
    gemm.c = channels_of(fine, conv->fine_channels, conv->groups, conv->n_fine);
    status = multiply(call, conv, &gemm, turned, bias, coarse, true);
    dg_tensor_drop(turned);
    return status;
}
