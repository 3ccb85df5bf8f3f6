/* Runs kernels on the host: the threads of a block are fibers that wait for each other.
 *
 * A fiber runs one thread after the other until one waits at a barrier; then another
 * fiber goes on. Kernels without barriers so need a single fiber. */
#include "tests/cuda/fibers.h"

#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>

#include "tests/cuda/sanitized.h"

#ifdef WITH_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

enum { THREADS_MOST = 1024, STACK_BYTES = 256 * 1024 };

struct index {
    unsigned x;
};

/* As kernels/cuda/host.h declares them. */
extern struct index threadIdx, blockIdx, blockDim, gridDim;
extern unsigned dg_host_words[THREADS_MOST];
void dg_host_launch(void (*body)(void *data), void *data, unsigned blocks,
                    unsigned threads);
void dg_host_wait(unsigned first, unsigned count);

struct index threadIdx, blockIdx, blockDim, gridDim;
unsigned dg_host_words[THREADS_MOST];
struct fiber_counts fiber_counts;

struct fiber {
    ucontext_t context;
    const void *stack;
    size_t size;
    void *shadow; /* of the sanitizer */
};

/* Barriers are counted from the first thread that they are for. */
enum thread_state { RUNNING, WAITING, READY, DONE };

struct thread {
    enum thread_state state;
    struct fiber *fiber;
    unsigned first, count; /* of the barrier that it waits at */
};

static struct thread threads[THREADS_MOST];
static struct fiber fibers[THREADS_MOST], scheduler;
static struct fiber *idle[THREADS_MOST];
static unsigned n_fibers, n_idle, n_started, arrived[THREADS_MOST];
static bool run_backwards;
static void (*body)(void *);
static void *body_data;

void fibers_run_backwards(bool backwards)
{
    run_backwards = backwards;
}

static void fail(const char *text)
{
    fprintf(stderr, "fibers: %s (block %u, thread %u)\n", text, blockIdx.x,
            threadIdx.x);
    abort();
}

static void switch_to(struct fiber *from, struct fiber *to)
{
    fiber_counts.switches++;
#ifdef WITH_SANITIZER
    __sanitizer_start_switch_fiber(&from->shadow, to->stack, to->size);
#endif
    swapcontext(&from->context, &to->context);
#ifdef WITH_SANITIZER
    __sanitizer_finish_switch_fiber(from->shadow, NULL, NULL);
#endif
}

/* The thread that is the `n`th to start. */
static unsigned thread_at(unsigned n)
{
    return run_backwards ? blockDim.x - 1 - n : n;
}

static void run_threads(struct fiber *fiber)
{
    while (n_started < blockDim.x) {
        unsigned self = thread_at(n_started++);

        threadIdx.x = self;
        threads[self].fiber = fiber;
        body(body_data);
        threads[self].state = DONE;
    }
    idle[n_idle++] = fiber;
}

static void fiber_main(void)
{
    struct fiber *self = idle[--n_idle];

#ifdef WITH_SANITIZER
    __sanitizer_finish_switch_fiber(NULL, &scheduler.stack, &scheduler.size);
#endif
    for (;;) {
        run_threads(self);
        switch_to(self, &scheduler);
        n_idle--; /* it was the last one to become idle, or was put there to run */
    }
}

static void start_fiber(void)
{
    if (!n_idle) {
        struct fiber *fiber = &fibers[n_fibers++];
        void *stack = malloc(STACK_BYTES);

        if (!stack || getcontext(&fiber->context))
            fail("no memory for another stack");
        fiber->stack = fiber->context.uc_stack.ss_sp = stack;
        fiber->size = fiber->context.uc_stack.ss_size = STACK_BYTES;
        makecontext(&fiber->context, fiber_main, 0);
        idle[n_idle++] = fiber;
    }
    switch_to(&scheduler, idle[n_idle - 1]);
}

void dg_host_wait(unsigned first, unsigned count)
{
    unsigned self = threadIdx.x;
    struct thread *thread = &threads[self];

    if (first + count > blockDim.x)
        fail("a barrier for threads that are not there");
    *thread = (struct thread){WAITING, thread->fiber, first, count};
    if (++arrived[first] == count) {
        arrived[first] = 0;
        for (unsigned i = first; i < first + count; i++) {
            if (threads[i].state != WAITING || threads[i].first != first ||
                threads[i].count != count)
                fail("threads wait at different barriers");
            threads[i].state = READY;
        }
    }
    switch_to(thread->fiber, &scheduler);
    threadIdx.x = self;
}

/* Whether a thread that waits could go on, and did. */
static bool resume_threads(void)
{
    bool any = false;

    for (unsigned n = 0; n < blockDim.x; n++) {
        struct thread *thread = &threads[thread_at(n)];

        if (thread->state != READY)
            continue;
        thread->state = RUNNING;
        any = true;
        switch_to(&scheduler, thread->fiber);
    }
    return any;
}

static void run_block(void)
{
    for (unsigned i = 0; i < blockDim.x; i++) {
        threads[i] = (struct thread){0};
        arrived[i] = 0;
    }
    n_started = 0;
    while (n_started < blockDim.x)
        start_fiber();
    while (resume_threads())
        ;
    for (unsigned i = 0; i < blockDim.x; i++) {
        if (threads[i].state != DONE)
            fail("a thread waits at a barrier that others left out");
    }
}

void dg_host_launch(void (*kernel)(void *data), void *data, unsigned blocks,
                    unsigned n_threads)
{
    if (n_threads > THREADS_MOST)
        fail("a block of too many threads");
    body = kernel;
    body_data = data;
    blockDim.x = n_threads;
    gridDim.x = blocks;
    fiber_counts.launches++;
    fiber_counts.threads += (uint64_t)blocks * n_threads;
    for (unsigned i = 0; i < blocks; i++) {
        blockIdx.x = run_backwards ? blocks - 1 - i : i;
        run_block();
    }
}
