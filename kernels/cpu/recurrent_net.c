/* LSTM, GRU and RNN: layers and directions of a whole net, and single cells. */
#include <string.h>

#include "kernels/cpu/recurrent.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"

struct net {
    enum dg_recurrence kind;
    struct dg_tensor *in, *hidden, *cell; /* cell NULL but for LSTM */
    const struct dg_arg *params;
    size_t n_params;
    bool has_biases, batch_first, reversed; /* reversed: all from the last step */
    int64_t n_layers, n_directions;
    int64_t steps, batch, width, out_width;
    double *hidden_state, *cell_state; /* of all layers and directions */
};

/* Parameters of a layer and direction: weights, then biases, then a projection. */
static size_t params_of_each(const struct net *net)
{
    return 2 + (net->has_biases ? 2 : 0) + (net->out_width != net->width ? 1 : 0);
}

static struct dg_tensor *param(const struct net *net, size_t i)
{
    return net->params[i].kind == DG_ARG_TENSOR ? net->params[i].as.tensor : NULL;
}

static struct dg_recurrent_weights weights_of(const struct net *net, int64_t number)
{
    size_t at = (size_t)number * params_of_each(net);
    struct dg_recurrent_weights weights = {.input = param(net, at),
                                           .hidden = param(net, at + 1)};

    if (net->has_biases) {
        weights.input_bias = param(net, at + 2);
        weights.hidden_bias = param(net, at + 3);
    }
    if (net->out_width != net->width)
        weights.projection = param(net, at + (net->has_biases ? 4 : 2));
    return weights;
}

/* Layer `number` of all directions, reading `in` and writing its share of `out`. */
static enum dg_status run_direction(struct dg_call *call, const struct net *net,
                                    int64_t number, const struct dg_tensor *in,
                                    const struct dg_tensor *out)
{
    int64_t direction = number % net->n_directions;
    struct dg_recurrent_layer layer = {
        .kind = net->kind,
        .weights = weights_of(net, number),
        .backward = direction == 1 || net->reversed,
        .type = net->in->type,
        .steps = net->steps,
        .batch = net->batch,
        .width = net->width,
        .out_width = net->out_width,
        .in = in,
        .hidden = net->hidden_state + number * net->batch * net->out_width,
        .cell = net->cell ? net->cell_state + number * net->batch * net->width : NULL,
        .out = (double *)dg_tensor_data(out) + direction * net->out_width,
        .out_stride = net->n_directions * net->out_width,
    };
    enum dg_status status = dg_recurrent_check(call, &layer);

    return status ? status : dg_recurrent_run(call, &layer);
}

/* All layers; *out is what the last one gives, [steps * batch, ...] in f64. */
static enum dg_status run_layers(struct dg_call *call, const struct net *net,
                                 struct dg_tensor *in, struct dg_tensor **out)
{
    int64_t sizes[] = {net->steps * net->batch, net->n_directions * net->out_width};
    enum dg_status status = DG_OK;

    *out = dg_tensor_keep(in);
    for (int64_t i = 0; i < net->n_layers && status == DG_OK; i++) {
        struct dg_tensor *next =
            dg_tensor_new(call->context->memory, DG_TYPE_F64, 2, sizes, call->err);

        if (!next)
            status = call->err->status;
        for (int64_t d = 0; d < net->n_directions && status == DG_OK; d++)
            status = run_direction(call, net, i * net->n_directions + d, *out, next);
        dg_tensor_drop(*out);
        *out = next;
    }
    return status;
}

/* The output in the order of the input: steps first, or the batch. */
static enum dg_status give_output(struct dg_call *call, const struct net *net,
                                  const struct dg_tensor *out)
{
    int64_t n = net->n_directions * net->out_width;
    int64_t outer = net->batch_first ? net->batch : net->steps;
    int64_t inner = net->batch_first ? net->steps : net->batch;
    struct dg_tensor view = *out, *result;

    view.rank = 3;
    view.sizes[0] = outer;
    view.sizes[1] = inner;
    view.sizes[2] = n;
    view.strides[0] = net->batch_first ? n : net->batch * n;
    view.strides[1] = net->batch_first ? net->batch * n : n;
    view.strides[2] = 1;
    result = dg_result(call, 0, net->in->type, 3, view.sizes);
    if (!result)
        return call->err->status;
    dg_copy_elements(result, &view, call->context->n_threads);
    return DG_OK;
}

static enum dg_status give(struct dg_call *call, const struct net *net,
                           const struct dg_tensor *out)
{
    enum dg_status status = give_output(call, net, out);

    if (status == DG_OK)
        status = dg_recurrent_give(call, 1, net->hidden, net->hidden_state);
    if (status == DG_OK && net->cell)
        status = dg_recurrent_give(call, 2, net->cell, net->cell_state);
    return status;
}

static bool is_state(const struct net *net, const struct dg_tensor *state,
                     int64_t width)
{
    return state && state->rank == 3 &&
           state->sizes[0] == net->n_layers * net->n_directions &&
           state->sizes[1] == net->batch && state->sizes[2] == width;
}

/* Sizes from the input and the states; counts of parameters. */
static enum dg_status measure(struct dg_call *call, struct net *net)
{
    const struct dg_tensor *in = net->in, *hidden = net->hidden;
    size_t n;

    if (!in || in->rank != 3 || !dg_type_is_float(in->type) || !hidden ||
        hidden->rank != 3 || (net->kind == DG_RECURRENCE_LSTM && !net->cell))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "an input and states of rank 3 and float dtype are needed");
    net->steps = in->sizes[net->batch_first];
    net->batch = in->sizes[!net->batch_first];
    net->out_width = hidden->sizes[2];
    net->width =
        net->cell && net->cell->rank == 3 ? net->cell->sizes[2] : net->out_width;
    if (net->n_layers < 1 || net->n_layers > hidden->sizes[0] ||
        !is_state(net, hidden, net->out_width) ||
        (net->cell && !is_state(net, net->cell, net->width)))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "states of %lld x %lld for %lld layers of %lld directions "
                            "and a batch of %lld",
                            (long long)hidden->sizes[0], (long long)hidden->sizes[1],
                            (long long)net->n_layers, (long long)net->n_directions,
                            (long long)net->batch);
    n = (size_t)(net->n_layers * net->n_directions) * params_of_each(net);
    if (net->n_params != n)
        return dg_call_fail(call, DG_ERR_FORMAT, "%zu parameters, not %zu",
                            net->n_params, n);
    return DG_OK;
}

static enum dg_status load_states(struct dg_call *call, struct net *net)
{
    net->hidden_state = dg_load_all(call, net->hidden);
    net->cell_state = net->cell ? dg_load_all(call, net->cell) : NULL;
    return net->hidden_state && (!net->cell || net->cell_state) ? DG_OK
                                                                : call->err->status;
}

/* The input, contiguous, as [steps * batch, inputs]. */
static struct dg_tensor *steps_first(struct dg_call *call, const struct net *net)
{
    struct dg_tensor *copy = dg_tensor_new(
        call->context->memory, net->in->type, 3,
        (int64_t[]){net->steps, net->batch, net->in->sizes[2]}, call->err);
    struct dg_tensor view = *net->in;

    if (!copy)
        return NULL;
    view.strides[0] = net->in->strides[net->batch_first];
    view.strides[1] = net->in->strides[!net->batch_first];
    memcpy(view.sizes, copy->sizes, sizeof(view.sizes));
    dg_copy_elements(copy, &view, call->context->n_threads);
    copy->rank = 2;
    copy->sizes[0] = net->steps * net->batch;
    copy->sizes[1] = net->in->sizes[2];
    dg_contiguous_strides(2, copy->sizes, copy->strides);
    return copy;
}

static enum dg_status run_net(struct dg_call *call, struct net *net)
{
    struct dg_tensor *in, *out = NULL;
    enum dg_status status = measure(call, net);

    if (status == DG_OK)
        status = load_states(call, net);
    if (status)
        return status;
    in = steps_first(call, net);
    status = in ? run_layers(call, net, in, &out) : call->err->status;
    if (status == DG_OK)
        status = give(call, net, out);
    dg_tensor_drop(in);
    dg_tensor_drop(out);
    return status;
}

static const struct dg_arg *list_of(const struct dg_call *call, size_t arg, size_t *n)
{
    *n = arg < call->n_args && call->args[arg].kind == DG_ARG_LIST
             ? call->args[arg].as.list.n_items
             : 0;
    return *n ? call->args[arg].as.list.items : NULL;
}

static struct dg_tensor *tensor_of(const struct dg_arg *items, size_t n, size_t i)
{
    return i < n && items[i].kind == DG_ARG_TENSOR ? items[i].as.tensor : NULL;
}

/* input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
 * batch_first */
static enum dg_status run_input(struct dg_call *call, enum dg_recurrence kind)
{
    struct net net = {.kind = kind,
                      .in = dg_arg_tensor(call, 0),
                      .hidden = dg_arg_tensor(call, 1),
                      .has_biases = dg_arg_bool(call, 3, true),
                      .n_layers = dg_arg_int(call, 4, 1),
                      .n_directions = dg_arg_bool(call, 7, false) ? 2 : 1,
                      .batch_first = dg_arg_bool(call, 8, false)};
    size_t n_states;
    const struct dg_arg *states = list_of(call, 1, &n_states);

    if (dg_arg_bool(call, 6, false) && dg_arg_real(call, 5, 0) != 0 && net.n_layers > 1)
        return dg_call_fail(call, DG_ERR_DEVICE, "a recurrent net with dropout");
    if (kind == DG_RECURRENCE_LSTM) {
        net.hidden = tensor_of(states, n_states, 0);
        net.cell = tensor_of(states, n_states, 1);
    }
    net.params = list_of(call, 2, &net.n_params);
    return run_net(call, &net);
}

enum dg_status dg_cpu_lstm(struct dg_call *call)
{
    return run_input(call, DG_RECURRENCE_LSTM);
}

enum dg_status dg_cpu_gru(struct dg_call *call)
{
    return run_input(call, DG_RECURRENCE_GRU);
}

enum dg_status dg_cpu_rnn_tanh(struct dg_call *call)
{
    return run_input(call, DG_RECURRENCE_TANH);
}

enum dg_status dg_cpu_rnn_relu(struct dg_call *call)
{
    return run_input(call, DG_RECURRENCE_RELU);
}

/* What decompositions leave of an LSTM, a call for each layer and direction: input,
 * four weights, hx, cx, reverse, batch_sizes, mode, hidden_size, num_layers,
 * has_biases, bidirectional, batch_first, train */
enum dg_status dg_cpu_mkldnn_rnn_layer(struct dg_call *call)
{
    enum { MODE_LSTM = 2 };
    struct net net = {.kind = DG_RECURRENCE_LSTM,
                      .in = dg_arg_tensor(call, 0),
                      .hidden = dg_arg_tensor(call, 5),
                      .cell = dg_arg_tensor(call, 6),
                      .params = call->args + 1,
                      .n_params = call->n_args > 5 ? 4 : 0,
                      .has_biases = true,
                      .n_layers = 1,
                      .n_directions = 1,
                      .reversed = dg_arg_bool(call, 7, false),
                      .batch_first = dg_arg_bool(call, 14, false)};
    enum dg_status status;
    int64_t none = 0;

    if (dg_arg_int(call, 9, MODE_LSTM) != MODE_LSTM || dg_arg_int(call, 11, 1) != 1 ||
        dg_arg_bool(call, 13, false))
        return dg_call_fail(call, DG_ERR_DEVICE, "one layer of an LSTM is supported");
    status = run_net(call, &net);
    /* The workspace, which only the gradient reads. */
    if (status == DG_OK && call->n_results > 3 &&
        !dg_result(call, 3, net.in->type, 1, &none))
        status = call->err->status;
    return status;
}
