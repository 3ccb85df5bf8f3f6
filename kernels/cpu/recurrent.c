/* One direction of one layer of a recurrent net, step by step. */
#include "kernels/cpu/recurrent.h"

#include <math.h>

#include "kernels/cpu/elementary.h"
#include "kernels/cpu/gemm.h"
#include "kernels/cpu/line.h"
#include "kernels/cpu/special.h"
#include "kernels/cpu/sums.h"

int dg_recurrent_gates(enum dg_recurrence kind)
{
    return kind == DG_RECURRENCE_LSTM ? 4 : kind == DG_RECURRENCE_GRU ? 3 : 1;
}

static enum dg_status check_shape(struct dg_call *call, const struct dg_tensor *tensor,
                                  const char *name, int64_t rows, int64_t columns)
{
    int rank = columns < 0 ? 1 : 2;
    char shape[400];

    if (tensor && tensor->rank == rank && tensor->sizes[0] == rows &&
        (rank == 1 || tensor->sizes[1] == columns))
        return DG_OK;
    return dg_call_fail(call, DG_ERR_FORMAT, "%s has shape %.200s, not %lld x %lld",
                        name,
                        tensor ? dg_shape_text(tensor, shape, sizeof(shape)) : "none",
                        (long long)rows, (long long)(columns < 0 ? 1 : columns));
}

enum dg_status dg_recurrent_check(struct dg_call *call,
                                  const struct dg_recurrent_layer *layer)
{
    const struct dg_recurrent_weights *w = &layer->weights;
    int64_t rows = dg_recurrent_gates(layer->kind) * layer->width;
    enum dg_status status =
        check_shape(call, w->input, "the input weight", rows, layer->in->sizes[1]);

    if (status == DG_OK)
        status =
            check_shape(call, w->hidden, "the hidden weight", rows, layer->out_width);
    if (status == DG_OK && w->input_bias)
        status = check_shape(call, w->input_bias, "the input bias", rows, -1);
    if (status == DG_OK && w->hidden_bias)
        status = check_shape(call, w->hidden_bias, "the hidden bias", rows, -1);
    if (status == DG_OK && w->projection)
        status = check_shape(call, w->projection, "the projection", layer->out_width,
                             layer->width);
    return status;
}

/* What torch keeps between the operators of a step has the dtype of the program. */
static void round_to(enum dg_type type, double *values, int64_t n)
{
    for (int64_t i = 0; i < n && type == DG_TYPE_F32; i++)
        values[i] = (float)values[i];
    for (int64_t i = 0; i < n && dg_type_bytes(type) == 2; i++)
        values[i] = dg_in_type(type, values[i]);
}

/* Of a linear layer: rows x weight'. */
static struct dg_gemm product_with(const struct dg_call *call,
                                   const struct dg_recurrent_layer *layer,
                                   const struct dg_tensor *weight)
{
    return (struct dg_gemm){
        .n = weight->sizes[0],
        .k = weight->sizes[1],
        .b = {weight->type,
              dg_tensor_data(weight),
              weight->strides[1],
              weight->strides[0],
              {0}},
        .alpha = 1,
        .narrow = dg_sums_are_narrow(call->context, layer->type),
    };
}

/* to = rows x weight' + bias, the weight packed before, or NULL. */
static void apply(struct dg_call *call, const struct dg_recurrent_layer *layer,
                  struct dg_gemm_matrix rows, int64_t n_rows,
                  const struct dg_tensor *weight, const struct dg_tensor *packed,
                  const struct dg_tensor *bias, double *to)
{
    struct dg_gemm gemm = product_with(call, layer, weight);

    gemm.m = n_rows;
    gemm.a = rows;
    gemm.c = (struct dg_gemm_matrix){DG_TYPE_F64, to, gemm.n, 1, {0}};
    gemm.beta = bias ? 1 : 0;
    gemm.packed = packed ? dg_tensor_data(packed) : NULL;
    if (bias)
        gemm.add = (struct dg_gemm_matrix){
            bias->type, dg_tensor_data(bias), 0, bias->strides[0], {0}};
    dg_gemm(call->context, &gemm);
    round_to(layer->type, to, n_rows * gemm.n);
}

/* A weight that each step reads. NULL: there is none, or no memory to spare for it. */
static struct dg_tensor *pack(struct dg_call *call,
                              const struct dg_recurrent_layer *layer,
                              const struct dg_tensor *weight)
{
    struct dg_error none = {0};
    struct dg_tensor *packed;
    struct dg_gemm gemm;
    int64_t n;

    if (!weight || layer->steps < 2)
        return NULL;
    gemm = product_with(call, layer, weight);
    n = (int64_t)(dg_gemm_packed_bytes(&gemm) / sizeof(double));
    packed = dg_tensor_new(call->context->memory, DG_TYPE_F64, 1, &n, &none);
    if (packed)
        dg_gemm_pack(&gemm, dg_tensor_data(packed));
    return packed;
}

/* New states of one row: x and h are what the weights make of the input and of the last
 * state, one gate after the other; h is written over. What torch has between operators
 * is rounded to `kept`; F64: nothing is. */
static void step_lstm(int64_t n, const double *x, double *h, double *hidden,
                      double *cell, enum dg_type kept)
{
    double *in = h, *forget = h + n, *value = h + 2 * n, *out = h + 3 * n;

    for (int64_t i = 0; i < 4 * n; i++)
        h[i] += x[i];
    round_to(kept, h, 4 * n);
    dg_sigmoid_line(in, n);
    dg_sigmoid_line(forget, n);
    dg_tanh_line(value, n);
    dg_sigmoid_line(out, n);
    round_to(kept, h, 4 * n);
    for (int64_t i = 0; i < n; i++) {
        cell[i] *= forget[i];
        in[i] *= value[i];
    }
    round_to(kept, cell, n);
    round_to(kept, in, n);
    for (int64_t i = 0; i < n; i++) {
        cell[i] += in[i];
        hidden[i] = cell[i];
    }
    round_to(kept, hidden, n);
    dg_tanh_line(hidden, n);
    round_to(kept, hidden, n);
    for (int64_t i = 0; i < n; i++)
        hidden[i] *= out[i];
}

/* Between a new value and the last state: in torch, (last - value) * update + value. */
static void blend(int64_t n, const double *update, double *value, double *hidden,
                  enum dg_type kept)
{
    for (int64_t i = 0; i < n && kept == DG_TYPE_F64; i++)
        hidden[i] = (1 - update[i]) * value[i] + update[i] * hidden[i];
    for (int64_t i = 0; i < n && kept != DG_TYPE_F64; i++)
        hidden[i] =
            dg_in_type(kept, dg_in_type(kept, hidden[i] - value[i]) * update[i]) +
            value[i];
}

static void step_gru(int64_t n, const double *x, double *h, double *hidden,
                     enum dg_type kept)
{
    double *reset = h, *update = h + n, *value = h + 2 * n;

    for (int64_t i = 0; i < 2 * n; i++)
        h[i] += x[i];
    round_to(kept, h, 2 * n);
    dg_sigmoid_line(reset, n);
    dg_sigmoid_line(update, n);
    round_to(kept, h, 2 * n);
    for (int64_t i = 0; i < n; i++)
        value[i] *= reset[i];
    round_to(kept, value, n);
    for (int64_t i = 0; i < n; i++)
        value[i] += x[2 * n + i];
    round_to(kept, value, n);
    dg_tanh_line(value, n);
    round_to(kept, value, n);
    blend(n, update, value, hidden, kept);
}

static void step_plain(int64_t n, const double *x, const double *h, bool relu,
                       double *hidden, enum dg_type kept)
{
    for (int64_t i = 0; i < n; i++) {
        double sum = x[i] + h[i];

        hidden[i] = relu && sum < 0 ? 0 : sum;
    }
    round_to(kept, hidden, n);
    if (!relu)
        dg_tanh_line(hidden, n);
}

static void step_row(const struct dg_recurrent_layer *layer, const double *x, double *h,
                     double *hidden, double *cell, enum dg_type kept)
{
    switch (layer->kind) {
    case DG_RECURRENCE_LSTM:
        step_lstm(layer->width, x, h, hidden, cell, kept);
        break;
    case DG_RECURRENCE_GRU:
        step_gru(layer->width, x, h, hidden, kept);
        break;
    case DG_RECURRENCE_TANH:
    case DG_RECURRENCE_RELU:
        step_plain(layer->width, x, h, layer->kind == DG_RECURRENCE_RELU, hidden, kept);
    }
}

/* Own sums round as torch does, step by step. */
static enum dg_type kept_type(const struct dg_context *context, enum dg_type type)
{
    return dg_sums_are_narrow(context, type) ? type : DG_TYPE_F64;
}

/* Memory of a run: gates of all steps, gates of one, states before their projection;
 * weights, packed. */
struct buffers {
    struct dg_tensor *x, *h, *wide, *packed_hidden, *packed_projection;
};

static double *row_of(const struct dg_tensor *tensor, int64_t row)
{
    return (double *)dg_tensor_data(tensor) + row * tensor->sizes[1];
}

static void step(struct dg_call *call, const struct dg_recurrent_layer *layer,
                 const struct buffers *buffers, int64_t t)
{
    const struct dg_recurrent_weights *w = &layer->weights;
    int64_t batch = layer->batch, n = layer->out_width;
    struct dg_gemm_matrix state = {DG_TYPE_F64, layer->hidden, n, 1, {0}};
    double *hidden = w->projection ? row_of(buffers->wide, 0) : layer->hidden;

    apply(call, layer, state, batch, w->hidden, buffers->packed_hidden, w->hidden_bias,
          row_of(buffers->h, 0));
    for (int64_t row = 0; row < batch; row++)
        step_row(layer, row_of(buffers->x, t * batch + row), row_of(buffers->h, row),
                 hidden + row * layer->width,
                 layer->cell ? layer->cell + row * layer->width : NULL,
                 kept_type(call->context, layer->type));
    if (w->projection)
        apply(call, layer,
              (struct dg_gemm_matrix){DG_TYPE_F64, hidden, layer->width, 1, {0}}, batch,
              w->projection, buffers->packed_projection, NULL, layer->hidden);
    round_to(layer->type, layer->hidden, batch * n);
    if (layer->cell)
        round_to(layer->type, layer->cell, batch * layer->width);
    for (int64_t row = 0; row < batch; row++) {
        for (int64_t i = 0; i < n; i++)
            layer->out[(t * batch + row) * layer->out_stride + i] =
                layer->hidden[row * n + i];
    }
}

static struct dg_tensor *make(struct dg_call *call, int64_t rows, int64_t columns)
{
    return dg_tensor_new(call->context->memory, DG_TYPE_F64, 2,
                         (int64_t[]){rows, columns}, call->err);
}

enum dg_status dg_recurrent_run(struct dg_call *call,
                                const struct dg_recurrent_layer *layer)
{
    int64_t gates = dg_recurrent_gates(layer->kind) * layer->width;
    struct buffers buffers = {make(call, layer->steps * layer->batch, gates),
                              make(call, layer->batch, gates),
                              make(call, layer->batch, layer->width),
                              pack(call, layer, layer->weights.hidden),
                              pack(call, layer, layer->weights.projection)};
    bool made = buffers.x && buffers.h && buffers.wide;
    struct dg_gemm_matrix in = {
        layer->in->type, dg_tensor_data(layer->in), layer->in->sizes[1], 1, {0}};

    if (made) {
        apply(call, layer, in, layer->steps * layer->batch, layer->weights.input, NULL,
              layer->weights.input_bias, row_of(buffers.x, 0));
        for (int64_t i = 0; i < layer->steps; i++)
            step(call, layer, &buffers, layer->backward ? layer->steps - 1 - i : i);
    }
    dg_tensor_drop(buffers.x);
    dg_tensor_drop(buffers.h);
    dg_tensor_drop(buffers.wide);
    dg_tensor_drop(buffers.packed_hidden);
    dg_tensor_drop(buffers.packed_projection);
    return made ? DG_OK : call->err->status;
}

enum dg_status dg_recurrent_give(struct dg_call *call, size_t result,
                                 const struct dg_tensor *like, const double *state)
{
    struct dg_tensor *tensor =
        dg_result(call, result, like->type, like->rank, like->sizes);

    if (!tensor)
        return call->err->status;
    dg_store_f64(tensor->type, dg_tensor_data(tensor), 1, state,
                 dg_tensor_count(tensor));
    return DG_OK;
}
