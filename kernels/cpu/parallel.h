/* Work spread over threads. Each index is computed by one thread from its inputs alone,
 * so results do not depend on how many there are. */
#ifndef DG_KERNELS_CPU_PARALLEL_H
#define DG_KERNELS_CPU_PARALLEL_H

#include "kernels/kernel.h"

typedef void dg_range_fn(void *data, int64_t from, int64_t to);

/* Call fn for ranges that make up 0..count-1, several for each thread; most have at
 * least `grain` indices: choose it so that these are worth some 50 us, what handing
 * them to a thread costs. */
void dg_parallel(int n_threads, int64_t count, int64_t grain, dg_range_fn *fn,
                 void *data);

/* The same with a line of `length` numbers for each thread: what fn leaves in it is
 * still there in the next call of that thread. Fails where there is no memory for
 * them. */
typedef void dg_line_range_fn(void *data, double *line, int64_t from, int64_t to);
enum dg_status dg_parallel_lines(struct dg_call *call, int64_t count, int64_t grain,
                                 int64_t length, dg_line_range_fn *fn, void *data);

#endif
