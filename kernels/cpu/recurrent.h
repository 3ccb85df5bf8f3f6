/* One direction of one layer of a recurrent net. */
#ifndef DG_KERNELS_CPU_RECURRENT_H
#define DG_KERNELS_CPU_RECURRENT_H

#include "kernels/kernel.h"

enum dg_recurrence {
    DG_RECURRENCE_LSTM,
    DG_RECURRENCE_GRU,
    DG_RECURRENCE_TANH,
    DG_RECURRENCE_RELU,
};

struct dg_recurrent_weights {
    struct dg_tensor *input, *hidden;           /* [gates * width, ...] */
    struct dg_tensor *input_bias, *hidden_bias; /* NULL: none */
    struct dg_tensor *projection;               /* [output width, width]; NULL: none */
};

struct dg_recurrent_layer {
    enum dg_recurrence kind;
    struct dg_recurrent_weights weights;
    bool backward;               /* from the last step to the first */
    enum dg_type type;           /* of states and gates, which are rounded to it */
    int64_t steps, batch, width; /* width: of the cell */
    int64_t out_width;           /* of the output: `width` without projection */
    const struct dg_tensor *in;  /* contiguous, [steps * batch, inputs] */
    double *hidden, *cell;       /* [batch, out_width], [batch, width]: updated */
    double *out;                 /* of step 0; rows of the batch follow each other */
    int64_t out_stride;          /* between those rows */
};

/* How many rows of weights belong to an element of the state. */
int dg_recurrent_gates(enum dg_recurrence kind);
/* Weights of a known width fit input and state, or an error that names the sizes. */
enum dg_status dg_recurrent_check(struct dg_call *call,
                                  const struct dg_recurrent_layer *layer);
enum dg_status dg_recurrent_run(struct dg_call *call,
                                const struct dg_recurrent_layer *layer);
/* A state as a result of the shape of `like`. */
enum dg_status dg_recurrent_give(struct dg_call *call, size_t result,
                                 const struct dg_tensor *like, const double *state);

#endif
