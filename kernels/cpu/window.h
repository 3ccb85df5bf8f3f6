/* Windows of pooling: what part of the input each output looks at. */
#ifndef DG_KERNELS_CPU_WINDOW_H
#define DG_KERNELS_CPU_WINDOW_H

#include "kernels/kernel.h"

enum { DG_SPACE_MOST = 3 }; /* depth, height, width */

/* Planes of up to three dimensions, each with its neighbours in space; dimensions that
 * are not there have size 1 and come first. */
struct dg_planes {
    int64_t n; /* batches times channels */
    int64_t in[DG_SPACE_MOST], out[DG_SPACE_MOST];
    int64_t in_count, out_count; /* elements of one plane */
    int rank;                    /* of the tensors */
    int64_t sizes[DG_RANK_MOST]; /* of the result */
};

/* `n_space` last dimensions of `in` are space, one or two are in front of them. Sets
 * all but what follows from `out`. */
enum dg_status dg_planes_begin(struct dg_planes *planes, struct dg_call *call,
                               const struct dg_tensor *in, int n_space);
/* After planes->out is set. */
void dg_planes_end(struct dg_planes *planes, int n_space);

/* `n` outputs of one row, at most DG_LINE_MOST, from column `x` on. */
struct dg_piece {
    int64_t plane, z, y, x, n;
    int64_t at; /* the first one's index in the result */
};

/* Call fn for all pieces, on several threads; an output costs about `cost` steps. */
void dg_each_piece(const struct dg_planes *planes, int n_threads, int64_t cost,
                   void (*fn)(void *data, const struct dg_piece *piece), void *data);

/* One dimension of the windows. */
struct dg_window_axis {
    int64_t in, out, kernel, stride, padding, dilation;
    bool adaptive; /* windows share the input evenly; nothing else but in and out counts
                    */
};

/* Elements first, first + step, ... before end are in the window; `extent` counts the
 * padding, too. */
struct dg_span {
    int64_t first, end, step, extent;
};

struct dg_span dg_window(const struct dg_window_axis *axis, int64_t o);

/* By what the sum of a window is divided; 0: no element is inside. */
int64_t dg_window_size(const struct dg_span *spans, bool count_padding);

/* Each element of a window: `x` of the row that starts at `row` of the plane. */
#define DG_EACH_ELEMENT(spans, planes, row, x)                                         \
    for (int64_t z = spans[0].first; z < spans[0].end; z += spans[0].step)             \
        for (int64_t y = spans[1].first; y < spans[1].end; y += spans[1].step)         \
            for (int64_t row = (z * (planes).in[1] + y) * (planes).in[2],              \
                         x = spans[2].first;                                           \
                 x < spans[2].end; x += spans[2].step)

/* Three axes of argument `in` and the ones behind it: kernel, stride, padding, dilation
 * where `dilated`, ceil_mode. */
enum dg_status dg_windows_begin(struct dg_window_axis *axes, struct dg_planes *planes,
                                struct dg_call *call, size_t in, int n_space,
                                bool dilated);
/* Adaptive ones from the output size that argument 1 is. */
enum dg_status dg_adaptive_begin(struct dg_window_axis *axes, struct dg_planes *planes,
                                 struct dg_call *call, int n_space);
/* The same once planes->out is known. */
void dg_adaptive_axes(struct dg_window_axis *axes, struct dg_planes *planes,
                      int n_space);

#endif
