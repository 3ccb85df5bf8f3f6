/* The upsample operators: resampling of planes along each of their dimensions. */
#include "kernels/cpu/upsample.h"

#include "kernels/cpu/movement.h"
#include "kernels/cpu/reduce.h"
#include "kernels/cpu/resample.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"

struct upsample {
    struct dg_planes planes;
    struct dg_taps taps[DG_SPACE_MOST];
    const double *in;
    struct dg_tensor *out;
    bool narrow; /* sums in f32, term by term */
};

static double plus(const struct upsample *up, double sum, double weight, double value)
{
    return up->narrow ? (float)(sum + (float)(weight * value)) : sum + weight * value;
}

static double row_value(const struct upsample *up, int64_t x, const double *row)
{
    const struct dg_taps *taps = &up->taps[2];
    double sum = 0;

    for (int64_t k = x * taps->n_taps; k < (x + 1) * taps->n_taps; k++)
        sum = plus(up, sum, taps->weights[k], row[taps->indices[k]]);
    return sum;
}

static double value_at(const struct upsample *up, const struct dg_piece *piece,
                       int64_t x)
{
    const struct dg_taps *taps = up->taps;
    const double *plane = up->in + piece->plane * up->planes.in_count;
    const int64_t *in = up->planes.in;
    double sum = 0;

    for (int64_t i = 0; i < taps[0].n_taps; i++) {
        int64_t z = piece->z * taps[0].n_taps + i;
        double layer = 0;

        for (int64_t k = 0; k < taps[1].n_taps; k++) {
            int64_t y = piece->y * taps[1].n_taps + k;
            int64_t row = taps[0].indices[z] * in[1] + taps[1].indices[y];

            layer = plus(up, layer, taps[1].weights[y],
                         row_value(up, x, plane + row * in[2]));
        }
        sum = plus(up, sum, taps[0].weights[z], layer);
    }
    return sum;
}

static void weigh(void *data, const struct dg_piece *piece)
{
    const struct upsample *up = data;
    double line[DG_LINE_MOST];

    for (int64_t i = 0; i < piece->n; i++)
        line[i] = value_at(up, piece, piece->x + i);
    dg_put_reals(up->out, piece->at, line, piece->n);
}

/* Nearest elements are moved as they are. */
static enum dg_status move(struct upsample *up, struct dg_call *call, int n_space)
{
    struct dg_tensor *in = dg_as_type(call, dg_arg_tensor(call, 0), up->out->type);
    struct dg_axes axes = {0};

    if (!in)
        return call->err->status;
    for (int i = 0; i < n_space; i++)
        axes.source[in->rank - 1 - i] = up->taps[DG_SPACE_MOST - 1 - i].indices;
    dg_take_axes(up->out, in, &axes, NULL, call->context->n_threads);
    dg_tensor_drop(in);
    return DG_OK;
}

static enum dg_status weigh_all(struct upsample *up, struct dg_call *call)
{
    struct dg_tensor *dense = dg_as_type(call, dg_arg_tensor(call, 0), DG_TYPE_F64);
    int64_t cost = 8;

    if (!dense)
        return call->err->status;
    for (int i = 0; i < DG_SPACE_MOST; i++)
        cost *= up->taps[i].n_taps;
    up->in = dg_tensor_data(dense);
    dg_each_piece(&up->planes, call->context->n_threads, cost, weigh, up);
    dg_tensor_drop(dense);
    return DG_OK;
}

/* Factors follow the size as one list or one number each. */
static enum dg_status read_factors(struct dg_call *call,
                                   const struct dg_upsample_schema *schema,
                                   double *factors)
{
    size_t at = schema->aligned ? 3 : 2;
    const struct dg_arg *list = at < call->n_args ? &call->args[at] : NULL;
    struct dg_call items = *call;

    if (schema->factors && list && list->kind == DG_ARG_LIST) {
        if (list->as.list.n_items != (size_t)schema->n_space)
            return dg_call_fail(call, DG_ERR_FORMAT, "%zu factors for %d dimensions",
                                list->as.list.n_items, schema->n_space);
        items.args = list->as.list.items;
        items.n_args = list->as.list.n_items;
        at = 0;
    } else if (schema->factors) {
        return DG_OK;
    }
    for (int i = 0; i < schema->n_space; i++)
        factors[DG_SPACE_MOST - schema->n_space + i] =
            dg_arg_real(&items, at + (size_t)i, 0);
    return DG_OK;
}

enum dg_status dg_upsample_read(int64_t *out, double *factors, struct dg_call *call,
                                const struct dg_upsample_schema *schema,
                                const int64_t *in)
{
    int64_t given[DG_SPACE_MOST];
    int n = dg_arg_ints(call, 1, given, DG_SPACE_MOST);

    if (n < 0 || read_factors(call, schema, factors))
        return call->err->status;
    if (n && n != schema->n_space)
        return dg_call_fail(call, DG_ERR_FORMAT, "%d sizes for %d dimensions", n,
                            schema->n_space);
    for (int i = 0; i < schema->n_space; i++) {
        int axis = DG_SPACE_MOST - schema->n_space + i;
        double size = n ? (double)given[i] : (double)in[axis] * factors[axis];

        if (!(size >= 1 && size <= INT32_MAX) || in[axis] < 1)
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "a dimension of size %lld cannot become one of %g",
                                (long long)in[axis], size);
        out[axis] = (int64_t)size;
    }
    return DG_OK;
}

/* Images of bytes, which torch interpolates in whole numbers. */
static bool are_bytes(const struct dg_tensor *in, enum dg_resample kind, int n_space)
{
    return in->type == DG_TYPE_U8 && kind > DG_RESAMPLE_NEAREST_EXACT && n_space == 2;
}

static enum dg_status weigh_bytes(struct upsample *up, struct dg_call *call)
{
    struct dg_tensor *in = dg_contiguous(call, dg_arg_tensor(call, 0));

    if (in)
        dg_resample_bytes(call, &up->planes, up->taps, dg_tensor_data(in),
                          dg_tensor_data(up->out));
    dg_tensor_drop(in);
    return call->err->status;
}

/* A dimension that is not there has one element, of weight 1: beside it a weight of 0
 * would make NaN of infinities. */
static enum dg_status make_taps(struct upsample *up, struct dg_call *call,
                                enum dg_resample kind,
                                const struct dg_upsample_schema *schema,
                                const double *factors)
{
    const struct dg_tensor *in = dg_arg_tensor(call, 0);
    bool bytes = are_bytes(in, kind, schema->n_space);

    for (int i = 0; i < DG_SPACE_MOST; i++) {
        struct dg_resample_axis axis = {
            .in = up->planes.in[i],
            .out = up->planes.out[i],
            .factor = factors[i],
            .align_corners = schema->aligned && dg_arg_bool(call, 2, false),
            .wide = bytes || dg_kept_type(call->context, in->type) == DG_TYPE_F64,
            .own_sums = !bytes && call->context->precision == DG_PRECISION_OWN_SUMS,
            .whole_steps = kind == DG_RESAMPLE_NEAREST && schema->n_space == 2};
        bool there = i >= DG_SPACE_MOST - schema->n_space;

        if (!dg_taps_make(&up->taps[i], call, there ? kind : DG_RESAMPLE_NEAREST,
                          &axis))
            return call->err->status;
    }
    return DG_OK;
}

static enum dg_status upsample(struct dg_call *call, enum dg_resample kind,
                               struct dg_upsample_schema schema)
{
    struct upsample up;
    struct dg_tensor *in = dg_arg_tensor(call, 0);
    double factors[DG_SPACE_MOST] = {0};
    enum dg_status status = dg_planes_begin(&up.planes, call, in, schema.n_space);

    if (!status)
        status = dg_upsample_read(up.planes.out, factors, call, &schema, up.planes.in);
    if (status)
        return status;
    if (kind > DG_RESAMPLE_NEAREST_EXACT && !dg_type_is_float(in->type) &&
        !are_bytes(in, kind, schema.n_space))
        return dg_call_fail(call, DG_ERR_DEVICE, "interpolation of %s",
                            dg_type_name(in->type));
    dg_planes_end(&up.planes, schema.n_space);
    up.out = dg_result(call, 0, in->type, in->rank, up.planes.sizes);
    if (!up.out)
        return call->err->status;
    if (!dg_tensor_count(up.out))
        return DG_OK;
    up.narrow = dg_sums_are_narrow(call->context, in->type);
    status = make_taps(&up, call, kind, &schema, factors);
    if (status)
        return status;
    if (are_bytes(in, kind, schema.n_space))
        return weigh_bytes(&up, call);
    return kind > DG_RESAMPLE_NEAREST_EXACT ? weigh_all(&up, call)
                                            : move(&up, call, schema.n_space);
}

#define UPSAMPLE(name, kind, n_space, aligned)                                         \
    enum dg_status dg_cpu_##name(struct dg_call *call)                                 \
    {                                                                                  \
        return upsample(call, DG_RESAMPLE_##kind,                                      \
                        (struct dg_upsample_schema){n_space, aligned, false});         \
    }                                                                                  \
    enum dg_status dg_cpu_##name##_vec(struct dg_call *call)                           \
    {                                                                                  \
        return upsample(call, DG_RESAMPLE_##kind,                                      \
                        (struct dg_upsample_schema){n_space, aligned, true});          \
    }

DG_UPSAMPLES(UPSAMPLE)
UPSAMPLE(upsample_bilinear2d_aa, LINEAR_SMOOTH, 2, true)
UPSAMPLE(upsample_bicubic2d_aa, CUBIC_SMOOTH, 2, true)
