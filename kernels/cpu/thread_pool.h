/* Threads that wait for the next call: to start one, or to wake one that sleeps, takes
 * longer than most kernels compute. */
#ifndef DG_KERNELS_CPU_THREAD_POOL_H
#define DG_KERNELS_CPU_THREAD_POOL_H

#include <stdbool.h>
#include <stdint.h>

enum { DG_THREADS_MOST = 64 };

typedef void dg_thread_fn(void *data);

/* From now on the calls of this thread have a pool, until as many ends as begins;
 * `n_threads`: what is not told how many threads to use takes so many. */
void dg_thread_pool_begin(int n_threads);
void dg_thread_pool_end(void);
int dg_thread_pool_size(void);

/* fn(items[i]) for all of them, `size` bytes apart, side by side: the first one here,
 * each other one in a thread of its own where there is one to be had. */
void dg_thread_pool_run(int64_t n, dg_thread_fn *fn, void *items, int64_t size);

#endif
