/* How kernels run on the host: in which order the threads of a block take turns. */
#ifndef DG_TESTS_CUDA_FIBERS_H
#define DG_TESTS_CUDA_FIBERS_H

#include <stdbool.h>
#include <stdint.h>

/* Between two barriers threads run one after the other. A race shows when they do so
 * backwards: results then differ. */
void fibers_run_backwards(bool backwards);

struct fiber_counts {
    uint64_t launches, threads, switches;
};

extern struct fiber_counts fiber_counts;

#endif
