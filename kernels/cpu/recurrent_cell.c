/* Cells of recurrent nets: one step. */
#include "kernels/cpu/recurrent.h"
#include "kernels/cpu/sums.h"
#include "kernels/cpu/walk.h"

static enum dg_status check(struct dg_call *call, enum dg_recurrence kind,
                            const struct dg_tensor *in, const struct dg_tensor *hidden,
                            const struct dg_tensor *cell)
{
    if (!in || !hidden || in->rank != 2 || hidden->rank != 2 ||
        !dg_type_is_float(in->type) || in->sizes[0] != hidden->sizes[0])
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "an input and a state of rank 2 and one batch are needed");
    if (kind == DG_RECURRENCE_LSTM && (!cell || !dg_tensor_same_shape(cell, hidden)))
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "hidden and cell state differ in shape");
    return DG_OK;
}

/* input, hx, w_ih, w_hh, b_ih, b_hh */
static enum dg_status run_cell(struct dg_call *call, enum dg_recurrence kind,
                               struct dg_tensor *hidden, struct dg_tensor *cell)
{
    struct dg_tensor *in = dg_arg_tensor(call, 0);
    struct dg_recurrent_layer layer = {
        .kind = kind,
        .weights = {dg_arg_tensor(call, 2), dg_arg_tensor(call, 3),
                    dg_arg_tensor(call, 4), dg_arg_tensor(call, 5), NULL},
        .steps = 1,
    };
    enum dg_status status = check(call, kind, in, hidden, cell);

    if (status)
        return status;
    layer.type = in->type;
    layer.batch = hidden->sizes[0];
    layer.width = layer.out_width = layer.out_stride = hidden->sizes[1];
    layer.hidden = dg_load_all(call, hidden);
    layer.cell = layer.hidden && cell ? dg_load_all(call, cell) : NULL;
    layer.out = layer.hidden ? dg_load_all(call, hidden) : NULL;
    in = layer.out && (!cell || layer.cell) ? dg_contiguous(call, in) : NULL;
    if (!in)
        return call->err->status;
    layer.in = in;
    status = dg_recurrent_check(call, &layer);
    if (status == DG_OK)
        status = dg_recurrent_run(call, &layer);
    if (status == DG_OK)
        status = dg_recurrent_give(call, 0, hidden, layer.hidden);
    if (status == DG_OK && cell)
        status = dg_recurrent_give(call, 1, cell, layer.cell);
    dg_tensor_drop(in);
    return status;
}

enum dg_status dg_cpu_lstm_cell(struct dg_call *call)
{
    const struct dg_arg *states = call->n_args > 1 ? &call->args[1] : NULL;

    if (!states || states->kind != DG_ARG_LIST || states->as.list.n_items != 2 ||
        states->as.list.items[0].kind != DG_ARG_TENSOR ||
        states->as.list.items[1].kind != DG_ARG_TENSOR)
        return dg_call_fail(call, DG_ERR_FORMAT,
                            "a hidden and a cell state are needed");
    return run_cell(call, DG_RECURRENCE_LSTM, states->as.list.items[0].as.tensor,
                    states->as.list.items[1].as.tensor);
}

enum dg_status dg_cpu_gru_cell(struct dg_call *call)
{
    return run_cell(call, DG_RECURRENCE_GRU, dg_arg_tensor(call, 1), NULL);
}

enum dg_status dg_cpu_rnn_tanh_cell(struct dg_call *call)
{
    return run_cell(call, DG_RECURRENCE_TANH, dg_arg_tensor(call, 1), NULL);
}

enum dg_status dg_cpu_rnn_relu_cell(struct dg_call *call)
{
    return run_cell(call, DG_RECURRENCE_RELU, dg_arg_tensor(call, 1), NULL);
}
