/* LSTM, GRU and RNN: layers and directions of whole nets, and single cells. */
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/recurrent.cuh"

/* All layers and directions. */
struct net {
    enum recurrence kind;
    struct dg_tensor *in, *hidden, *cell; /* arguments; no cell but for an LSTM */
    const struct dg_arg *params;
    size_t n_params;
    bool has_biases, batch_first, reversed;
    int64_t n_layers, n_directions, steps, batch, width;
    struct dg_tensor *states[2]; /* results: of the last step */
};

static struct dg_tensor *param(const struct net *net, size_t i)
{
    return net->params[i].kind == DG_ARG_TENSOR ? net->params[i].as.tensor : NULL;
}

/* Slice `number` of a state. */
static struct dg_tensor state_of(const struct net *net, const struct dg_tensor *states,
                                 int64_t number)
{
    int64_t sizes[2] = {net->batch, net->width}, strides[2] = {net->width, 1};
    struct dg_tensor state = shaped(states, 2, sizes, strides);

    state.offset += number * net->batch * net->width;
    return state;
}

static enum dg_status run_direction(struct dg_call *call, const struct net *net,
                                    int64_t number, const struct dg_tensor *in,
                                    const struct dg_tensor *out)
{
    int64_t direction = number % net->n_directions;
    size_t at = (size_t)number * (net->has_biases ? 4 : 2);
    struct layer layer = {};

    layer.kind = net->kind;
    layer.type = out->type;
    layer.steps = net->steps;
    layer.batch = net->batch;
    layer.width = net->width;
    layer.backward = direction == 1 || net->reversed;
    for (size_t i = 0; i < 2; i++) {
        layer.weights[i] = param(net, at + i);
        layer.biases[i] = net->has_biases ? param(net, at + 2 + i) : NULL;
    }
    layer.in = *in;
    layer.state = state_of(net, net->states[0], number);
    if (net->cell)
        layer.cell = state_of(net, net->states[1], number);
    layer.out = *out;
    layer.out.offset += direction * net->width;
    layer.has_out = true;
    return run_layer(call, &layer);
}

/* Dimensions 0 and 1 of `self` change places. */
static struct dg_tensor turned(const struct dg_tensor *self, bool turns)
{
    struct dg_tensor view = *self;

    for (int d = 0; d < 2 && turns; d++) {
        view.sizes[d] = self->sizes[1 - d];
        view.strides[d] = self->strides[1 - d];
    }
    return view;
}

/* *rows, a share, is what goes in: [steps * batch, inputs]; then what comes out. */
static enum dg_status run_layers(struct dg_call *call, const struct net *net,
                                 struct dg_tensor **rows)
{
    int64_t sizes[2] = {net->steps * net->batch, net->n_directions * net->width};
    enum dg_status status = DG_OK;

    for (int64_t i = 0; i < net->n_layers && !status; i++) {
        struct dg_tensor *out =
            dg_tensor_new(call->context->memory, (*rows)->type, 2, sizes, call->err);

        if (!out)
            return call->err->status;
        for (int64_t d = 0; d < net->n_directions && !status; d++)
            status = run_direction(call, net, i * net->n_directions + d, *rows, out);
        dg_tensor_drop(*rows);
        *rows = out;
    }
    return status;
}

static bool is_state(const struct net *net, const struct dg_tensor *state)
{
    return state && state->rank == 3 &&
           state->sizes[0] == net->n_layers * net->n_directions &&
           state->sizes[1] == net->batch && state->sizes[2] == net->width;
}

static enum dg_status measure(struct dg_call *call, struct net *net)
{
    const struct dg_tensor *in = net->in, *hidden = net->hidden;

    if (!in || in->rank != 3 || !dg_type_is_float(in->type) || !hidden ||
        hidden->rank != 3 || (net->kind == LSTM && !net->cell))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "an input and states of rank 3 and float dtype are needed");
    net->steps = in->sizes[net->batch_first];
    net->batch = in->sizes[!net->batch_first];
    net->width = hidden->sizes[2];
    if (net->cell && net->cell->rank == 3 && net->cell->sizes[2] != net->width)
        return dg_call_fail(call, DG_ERR_DEVICE,
                            "an LSTM with projections runs on the host only");
    if (net->n_layers < 1 || net->n_layers > hidden->sizes[0] ||
        !is_state(net, hidden) || (net->cell && !is_state(net, net->cell)))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "states of %lld x %lld for %lld layers of %lld directions "
                            "and a batch of %lld",
                            (long long)hidden->sizes[0], (long long)hidden->sizes[1],
                            (long long)net->n_layers, (long long)net->n_directions,
                            (long long)net->batch);
    if (net->n_params != (size_t)hidden->sizes[0] * (net->has_biases ? 4 : 2))
        return dg_call_fail(call, DG_ERR_FORMAT, "%zu parameters", net->n_params);
    return DG_OK;
}

/* Results `i` of the states, which begin as the arguments. */
static enum dg_status make_states(struct dg_call *call, struct net *net)
{
    const struct dg_tensor *given[2] = {net->hidden, net->cell};

    for (size_t i = 0; i < 2 && given[i]; i++) {
        net->states[i] =
            dg_result(call, i + 1, net->in->type, given[i]->rank, given[i]->sizes);
        if (!net->states[i] || copy_elements(call, net->states[i], given[i]))
            return call->err->status;
    }
    return DG_OK;
}

/* The output in the order of the input: steps first, or the batch. */
static enum dg_status give_output(struct dg_call *call, const struct net *net,
                                  const struct dg_tensor *rows)
{
    int64_t n = net->n_directions * net->width;
    int64_t sizes[3] = {net->steps, net->batch, n}, strides[3] = {net->batch * n, n, 1};
    struct dg_tensor in_steps = shaped(rows, 3, sizes, strides);
    struct dg_tensor view = turned(&in_steps, net->batch_first);
    struct dg_tensor *out = dg_result(call, 0, net->in->type, 3, view.sizes);

    return out ? copy_elements(call, out, &view) : call->err->status;
}

static enum dg_status run_net(struct dg_call *call, struct net *net)
{
    enum dg_status status = measure(call, net);
    struct dg_tensor view, *rows = NULL;

    if (!status)
        status = make_states(call, net);
    if (status)
        return status;
    view = turned(net->in, net->batch_first);
    rows = dg_tensor_new(call->context->memory, net->states[0]->type, 3, view.sizes,
                         call->err);
    if (!rows)
        return call->err->status;
    status = copy_elements(call, rows, &view);
    rows->sizes[0] = net->steps * net->batch;
    rows->sizes[1] = rows->sizes[2];
    rows->rank = 2;
    dg_contiguous_strides(rows->rank, rows->sizes, rows->strides);
    if (!status)
        status = run_layers(call, net, &rows);
    if (!status)
        status = give_output(call, net, rows);
    dg_tensor_drop(rows);
    return status;
}

static const struct dg_arg *list_of(const struct dg_call *call, size_t arg, size_t *n)
{
    bool listed = arg < call->n_args && call->args[arg].kind == DG_ARG_LIST;

    *n = listed ? call->args[arg].as.list.n_items : 0;
    return *n ? call->args[arg].as.list.items : NULL;
}

/* The hidden and the cell state of an LSTM: a list. */
static void take_states(const struct dg_call *call, struct dg_tensor **hidden,
                        struct dg_tensor **cell)
{
    struct dg_call list = *call;

    list.args = list_of(call, 1, &list.n_args);
    *hidden = dg_arg_tensor(&list, 0);
    *cell = dg_arg_tensor(&list, 1);
}

/* (input, hx, params, has_biases, num_layers, dropout, train, bidirectional,
 * batch_first) */
static enum dg_status run_input(struct dg_call *call, enum recurrence kind)
{
    struct net net = {};

    net.kind = kind;
    net.in = dg_arg_tensor(call, 0);
    net.hidden = dg_arg_tensor(call, 1);
    net.has_biases = dg_arg_bool(call, 3, true);
    net.n_layers = dg_arg_int(call, 4, 1);
    net.n_directions = dg_arg_bool(call, 7, false) ? 2 : 1;
    net.batch_first = dg_arg_bool(call, 8, false);
    if (dg_arg_bool(call, 6, false) && dg_arg_real(call, 5, 0) != 0 && net.n_layers > 1)
        return dg_call_fail(call, DG_ERR_DEVICE, "a recurrent net with dropout");
    if (kind == LSTM)
        take_states(call, &net.hidden, &net.cell);
    net.params = list_of(call, 2, &net.n_params);
    return run_net(call, &net);
}

/* What decompositions leave of an LSTM, a call for each layer and direction: input,
 * four weights, hx, cx, reverse, batch_sizes, mode, hidden_size, num_layers,
 * has_biases, bidirectional, batch_first, train */
enum dg_status dg_cuda_mkldnn_rnn_layer(struct dg_call *call)
{
    enum { MODE_LSTM = 2 };
    struct net net = {};
    enum dg_status status;
    int64_t none = 0;

    if (dg_arg_int(call, 9, MODE_LSTM) != MODE_LSTM || dg_arg_int(call, 11, 1) != 1 ||
        dg_arg_bool(call, 13, false))
        return dg_call_fail(call, DG_ERR_DEVICE, "one layer of an LSTM is supported");
    net.kind = LSTM;
    net.in = dg_arg_tensor(call, 0);
    net.hidden = dg_arg_tensor(call, 5);
    net.cell = dg_arg_tensor(call, 6);
    net.params = call->args + 1;
    net.n_params = call->n_args > 5 ? 4 : 0;
    net.has_biases = true;
    net.n_layers = net.n_directions = 1;
    net.reversed = dg_arg_bool(call, 7, false);
    net.batch_first = dg_arg_bool(call, 14, false);
    status = run_net(call, &net);
    /* The workspace, which only the gradient reads. */
    if (!status && call->n_results > 3 && !dg_result(call, 3, net.in->type, 1, &none))
        status = call->err->status;
    return status;
}

/* (input, hx, w_ih, w_hh, b_ih, b_hh): the new states are the results */
static enum dg_status run_cell(struct dg_call *call, enum recurrence kind)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0), *given[2] = {}, *states[2];
    struct layer layer = {};

    given[0] = dg_arg_tensor(call, 1);
    if (kind == LSTM)
        take_states(call, &given[0], &given[1]);
    if (!in || !given[0] || in->rank != 2 || given[0]->rank != 2 ||
        !dg_type_is_float(in->type) || in->sizes[0] != given[0]->sizes[0] ||
        (kind == LSTM && (!given[1] || !dg_tensor_same_shape(given[0], given[1]))))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "an input and states of rank 2 and one batch are needed");
    for (size_t i = 0; i < 2 && given[i]; i++) {
        states[i] = dg_result(call, i, given[i]->type, 2, given[i]->sizes);
        if (!states[i] || copy_elements(call, states[i], given[i]))
            return call->err->status;
        *(i ? &layer.cell : &layer.state) = *states[i];
    }
    layer.kind = kind;
    layer.type = states[0]->type;
    layer.steps = 1;
    layer.batch = given[0]->sizes[0];
    layer.width = given[0]->sizes[1];
    layer.in = *in;
    layer.out = layer.state;
    for (size_t i = 0; i < 2; i++) {
        layer.weights[i] = dg_arg_tensor(call, 2 + i);
        layer.biases[i] = dg_arg_tensor(call, 4 + i);
    }
    return run_layer(call, &layer);
}

#define RECURRENCE(net, cell, kind)                                                    \
    enum dg_status dg_cuda_##net(struct dg_call *call)                                 \
    {                                                                                  \
        return run_input(call, kind);                                                  \
    }                                                                                  \
    enum dg_status dg_cuda_##cell(struct dg_call *call)                                \
    {                                                                                  \
        return run_cell(call, kind);                                                   \
    }
RECURRENCE(lstm, lstm_cell, LSTM)
RECURRENCE(gru, gru_cell, GRU)
RECURRENCE(rnn_tanh, rnn_tanh_cell, TANH)
RECURRENCE(rnn_relu, rnn_relu_cell, RELU)
