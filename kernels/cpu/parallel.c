/* Work spread over threads. Each has a share of its own, the same in one kernel as in
 * the next, so that it finds in its caches what it has left there; when that is done it
 * takes from the shares of others. */
#include "kernels/cpu/parallel.h"

#include <stdatomic.h>

#include "kernels/cpu/thread_pool.h"

enum { CHUNKS = 8 }; /* of a share */

/* A line of a cache for each: all threads count in it. */
struct share {
    _Alignas(64) _Atomic int64_t next;
    int64_t end;
};

struct work {
    dg_range_fn *fn;
    dg_line_range_fn *line_fn; /* or this one, with a line of each thread */
    void *data;
    double *lines;
    int64_t length, chunk, n_threads;
    struct share shares[DG_THREADS_MOST];
};

struct hand {
    struct work *work;
    int64_t number;
};

static void run_chunk(const struct hand *hand, int64_t from, int64_t to)
{
    const struct work *work = hand->work;

    if (work->fn)
        work->fn(work->data, from, to);
    else
        work->line_fn(work->data, work->lines + hand->number * work->length, from, to);
}

static void run_share(const struct hand *hand, struct share *share)
{
    int64_t chunk = hand->work->chunk, from;

    while ((from = atomic_fetch_add(&share->next, chunk)) < share->end)
        run_chunk(hand, from, share->end - from < chunk ? share->end : from + chunk);
}

static void run_hand(void *data)
{
    const struct hand *hand = data;
    struct work *work = hand->work;

    for (int64_t i = 0; i < work->n_threads; i++)
        run_share(hand, &work->shares[(hand->number + i) % work->n_threads]);
}

static int64_t n_parts(int n_threads, int64_t count, int64_t grain)
{
    int64_t n = grain > 0 ? count / grain : count;

    n = n > n_threads ? n_threads : n;
    n = n > DG_THREADS_MOST ? DG_THREADS_MOST : n;
    return n > 1 ? n : 1;
}

static void run(struct work *work, int64_t count, int64_t grain)
{
    struct hand hands[DG_THREADS_MOST];
    int64_t n = work->n_threads, share = count / n;

    work->chunk = share / CHUNKS > grain ? share / CHUNKS : grain;
    work->chunk = work->chunk > 0 ? work->chunk : 1;
    for (int64_t i = 0; i < n; i++) {
        hands[i] = (struct hand){work, i};
        atomic_init(&work->shares[i].next, share * i);
        work->shares[i].end = i + 1 < n ? share * (i + 1) : count;
    }
    dg_thread_pool_run(n, run_hand, hands, sizeof(*hands));
}

void dg_parallel(int n_threads, int64_t count, int64_t grain, dg_range_fn *fn,
                 void *data)
{
    struct work work = {.fn = fn, .data = data};

    work.n_threads = n_parts(n_threads, count, grain);
    if (work.n_threads > 1)
        run(&work, count, grain);
    else if (count > 0)
        fn(data, 0, count);
}

enum dg_status dg_parallel_lines(struct dg_call *call, int64_t count, int64_t grain,
                                 int64_t length, dg_line_range_fn *fn, void *data)
{
    struct work work = {.line_fn = fn, .data = data, .length = length};
    int64_t all;

    work.n_threads = n_parts(call->context->n_threads, count, grain);
    if (__builtin_mul_overflow(work.n_threads, length, &all))
        all = -1;
    work.lines = dg_scratch(call, all, sizeof(*work.lines));
    if (!work.lines)
        return call->err->status;
    if (work.n_threads > 1)
        run(&work, count, grain);
    else
        fn(data, work.lines, 0, count);
    return DG_OK;
}
