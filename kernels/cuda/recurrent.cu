/* A layer of a recurrent net.
 *
 * What the weights make of all inputs of a layer is one product; then come the steps, a
 * product with the last state and a kernel of the gates for each. */
#include "kernels/cuda/arithmetic.cuh"
#include "kernels/cuda/product.cuh"
#include "kernels/cuda/recurrent.cuh"
#include "kernels/cuda/types.cuh"

template <class C> static __device__ inline C sigmoid_of(C x)
{
    return 1 / (1 + exp(-x));
}

/* One step of `batch` rows of `width` states. Gates are what the weights make of the
 * input and of the last state, one behind the other. */
template <class T> struct gates {
    int64_t batch, width;
    const T *input, *hidden; /* [batch, gates * width] */
    T *state, *cell;         /* [batch, width]: updated; no cell: NULL */
    T *out;                  /* the state again; NULL: not wanted */
    int64_t out_stride;

    __device__ computed<T> sum(int64_t at) const
    {
        return value_of(input[at]) + value_of(hidden[at]);
    }
};

template <enum recurrence KIND, class T>
static __global__ void step_states(struct gates<T> gates)
{
    using C = computed<T>;
    int64_t at = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int64_t n = gates.width, i = at % n, row = at / n * n;
    C state;

    if (at >= gates.batch * n)
        return;
    if constexpr (KIND == LSTM) {
        int64_t first = 4 * row + i;
        C keep = sigmoid_of(gates.sum(first + n)) * value_of(gates.cell[at]);
        C cell = keep + sigmoid_of(gates.sum(first)) * tanh(gates.sum(first + 2 * n));

        gates.cell[at] = store<T>::of(cell);
        state = sigmoid_of(gates.sum(first + 3 * n)) * tanh(cell);
    } else if constexpr (KIND == GRU) {
        int64_t first = 3 * row + i;
        C reset = sigmoid_of(gates.sum(first)),
          update = sigmoid_of(gates.sum(first + n));
        C value = tanh(value_of(gates.input[first + 2 * n]) +
                       reset * value_of(gates.hidden[first + 2 * n]));

        state = (1 - update) * value + update * value_of(gates.state[at]);
    } else {
        C sum = gates.sum(row + i);

        state = KIND == TANH ? tanh(sum) : sum < 0 ? C(0) : sum;
    }
    gates.state[at] = store<T>::of(state);
    if (gates.out)
        gates.out[at / n * gates.out_stride + i] = store<T>::of(state);
}

static int gates_of(enum recurrence kind)
{
    return kind == LSTM ? 4 : kind == GRU ? 3 : 1;
}

/* What the weights make of all inputs, and of the last state. */
struct workspace {
    struct dg_tensor *gates[2];

    ~workspace()
    {
        for (struct dg_tensor *tensor : gates)
            dg_tensor_drop(tensor);
    }
};

/* to = rows x weight' + bias, rounded once: biases lie there before the product. */
static enum dg_status apply(struct dg_call *call, const struct dg_tensor *to,
                            const struct dg_tensor *rows,
                            const struct dg_tensor *weight,
                            const struct dg_tensor *bias)
{
    int64_t sizes[2] = {weight->sizes[1], weight->sizes[0]};
    int64_t strides[2] = {weight->strides[1], weight->strides[0]}, one = 1;
    struct dg_tensor turned = shaped(weight, 2, sizes, strides);
    struct factor a = {}, b = {};

    if (take_factor(call, &a, rows, to->type, 1, &one) ||
        take_factor(call, &b, &turned, to->type, 1, &one) ||
        (bias && copy_elements(call, to, bias)))
        return call->err->status;
    return multiply(call, to, &a, &b, 1, bias ? 1 : 0);
}

template <class T>
static enum dg_status launch_step(struct dg_call *call, enum recurrence kind,
                                  const struct gates<T> &gates)
{
    int64_t blocks = blocks_for(gates.batch * gates.width);

    switch (kind) {
    case LSTM:
        return launch(call, step_states<LSTM, T>, blocks, THREADS, gates);
    case GRU:
        return launch(call, step_states<GRU, T>, blocks, THREADS, gates);
    case TANH:
        return launch(call, step_states<TANH, T>, blocks, THREADS, gates);
    default:
        return launch(call, step_states<RELU, T>, blocks, THREADS, gates);
    }
}

/* Step `t`, whose products are there. */
static enum dg_status step(struct dg_call *call, const struct layer *layer,
                           const struct workspace *work, int64_t t)
{
    return with_float(layer->type, [&](auto element) {
        using T = decltype(element);
        auto data = [](const struct dg_tensor *tensor) {
            return (T *)dg_tensor_data(tensor);
        };
        int64_t rows = t * layer->batch;
        struct gates<T> gates = {
        };

        gates.batch = layer->batch;
        gates.width = layer->width;
        gates.input = data(work->gates[0]) + rows * work->gates[0]->sizes[1];
        gates.hidden = data(work->gates[1]);
        gates.state = data(&layer->state);
        gates.cell = layer->kind == LSTM ? data(&layer->cell) : NULL;
        if (layer->has_out)
            gates.out = data(&layer->out) + rows * layer->out.strides[0];
        gates.out_stride = layer->out.strides[0];
        return launch_step(call, layer->kind, gates);
    });
}

static enum dg_status prepare(struct dg_call *call, const struct layer *layer,
                              struct workspace *work)
{
    int64_t sizes[2] = {layer->steps * layer->batch,
                        gates_of(layer->kind) * layer->width};

    for (int i = 0; i < 2; i++) {
        work->gates[i] =
            dg_tensor_new(call->context->memory, layer->type, 2, sizes, call->err);
        if (!work->gates[i])
            return call->err->status;
        sizes[0] = layer->batch;
    }
    return DG_OK;
}

static enum dg_status check_weights(struct dg_call *call, const struct layer *layer)
{
    int64_t rows = gates_of(layer->kind) * layer->width;
    int64_t columns[2] = {layer->in.sizes[1], layer->width};

    for (int i = 0; i < 2; i++) {
        const struct dg_tensor *weight = layer->weights[i], *bias = layer->biases[i];

        if (!weight || weight->rank != 2 || weight->sizes[0] != rows ||
            weight->sizes[1] != columns[i] ||
            (bias && (bias->rank != 1 || bias->sizes[0] != rows)))
            return dg_call_fail(call, DG_ERR_FORMAT,
                                "a weight or a bias is not %lld x %lld",
                                (long long)rows, (long long)columns[i]);
    }
    return DG_OK;
}

enum dg_status run_layer(struct dg_call *call, const struct layer *layer)
{
    struct workspace work = {};
    enum dg_status status = check_weights(call, layer);

    if (!status)
        status = prepare(call, layer, &work);
    if (!status)
        status =
            apply(call, work.gates[0], &layer->in, layer->weights[0], layer->biases[0]);
    for (int64_t t = 0; t < layer->steps && !status; t++) {
        status = apply(call, work.gates[1], &layer->state, layer->weights[1],
                       layer->biases[1]);
        if (!status)
            status =
                step(call, layer, &work, layer->backward ? layer->steps - 1 - t : t);
    }
    return status;
}
