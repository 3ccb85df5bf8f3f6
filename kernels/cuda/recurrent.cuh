/* One direction of one layer of a recurrent net. */
#ifndef DG_KERNELS_CUDA_RECURRENT_CUH
#define DG_KERNELS_CUDA_RECURRENT_CUH

#include "kernels/kernel.h"

enum recurrence { LSTM, GRU, TANH, RELU };

struct layer {
    enum recurrence kind;
    enum dg_type type;
    int64_t steps, batch, width;
    bool backward;
    struct dg_tensor *weights[2], *biases[2]; /* of the input, of the state; borrowed */
    struct dg_tensor in;                      /* [steps * batch, inputs] */
    struct dg_tensor state, cell;             /* contiguous: updated */
    struct dg_tensor out;                     /* of step 0; rows lie strides[0] apart */
    bool has_out;
};

enum dg_status run_layer(struct dg_call *call, const struct layer *layer);

#endif
