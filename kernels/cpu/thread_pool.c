/* Threads that wait for the next call, awake at first. */
#include "kernels/cpu/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

/* How often a thread looks before it sleeps: for some half a millisecond, as between
 * two kernels little happens. It lets others have its processor meanwhile. */
enum { LOOKS = 600, PAUSES = 16 };

enum state { IDLE, BUSY, ENDING };

struct worker {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    atomic_int state;
    dg_thread_fn *fn;
    void *item;
};

struct pool {
    struct worker workers[DG_THREADS_MOST - 1];
    int64_t n_workers;
    int64_t n_begun;
    int n_threads;
    bool busy;
};

static _Thread_local struct pool *ours;

static void pause_briefly(void)
{
    for (int i = 0; i < PAUSES; i++) {
#if defined(__GNUC__) && defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
    sched_yield();
}

/* Wait for another state; which one. */
static int await_other(struct worker *worker, int state)
{
    int now = atomic_load(&worker->state);

    for (int look = 0; now == state && look < LOOKS; look++) {
        pause_briefly();
        now = atomic_load(&worker->state);
    }
    if (now != state)
        return now;
    pthread_mutex_lock(&worker->mutex);
    while ((now = atomic_load(&worker->state)) == state)
        pthread_cond_wait(&worker->changed, &worker->mutex);
    pthread_mutex_unlock(&worker->mutex);
    return now;
}

static void change(struct worker *worker, int state)
{
    pthread_mutex_lock(&worker->mutex);
    atomic_store(&worker->state, state);
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->mutex);
}

static void *work(void *data)
{
    struct worker *worker = data;

    while (await_other(worker, IDLE) == BUSY) {
        worker->fn(worker->item);
        change(worker, IDLE);
    }
    return NULL;
}

static bool start(struct worker *worker)
{
    atomic_init(&worker->state, IDLE);
    pthread_mutex_init(&worker->mutex, NULL);
    pthread_cond_init(&worker->changed, NULL);
    if (!pthread_create(&worker->thread, NULL, work, worker))
        return true;
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->mutex);
    return false;
}

static void stop(struct worker *worker)
{
    change(worker, ENDING);
    pthread_join(worker->thread, NULL);
    pthread_cond_destroy(&worker->changed);
    pthread_mutex_destroy(&worker->mutex);
}

void dg_thread_pool_begin(int n_threads)
{
    if (!ours)
        ours = calloc(1, sizeof(*ours)); /* NULL: there is no pool */
    if (!ours)
        return;
    ours->n_begun++;
    ours->n_threads = n_threads;
}

int dg_thread_pool_size(void)
{
    return ours && !ours->busy ? ours->n_threads : 1;
}

void dg_thread_pool_end(void)
{
    if (!ours || --ours->n_begun)
        return;
    while (ours->n_workers)
        stop(&ours->workers[--ours->n_workers]);
    free(ours);
    ours = NULL;
}

/* How many of `n` workers there are. */
static int64_t have_workers(struct pool *pool, int64_t n)
{
    n = n < DG_THREADS_MOST - 1 ? n : DG_THREADS_MOST - 1;
    while (pool->n_workers < n && start(&pool->workers[pool->n_workers]))
        pool->n_workers++;
    return pool->n_workers < n ? pool->n_workers : n;
}

/* A call within a call, and one of a thread without a pool, has one for itself. */
void dg_thread_pool_run(int64_t n, dg_thread_fn *fn, void *items, int64_t size)
{
    struct pool own = {.n_begun = 1}, *pool = ours && !ours->busy ? ours : &own;
    int64_t n_workers = have_workers(pool, n - 1);

    pool->busy = true;
    for (int64_t i = 0; i < n_workers; i++) {
        pool->workers[i].fn = fn;
        pool->workers[i].item = (char *)items + (i + 1) * size;
        change(&pool->workers[i], BUSY);
    }
    fn(items);
    for (int64_t i = n_workers + 1; i < n; i++)
        fn((char *)items + i * size);
    for (int64_t i = 0; i < n_workers; i++)
        await_other(&pool->workers[i], BUSY);
    pool->busy = false;
    while (own.n_workers)
        stop(&own.workers[--own.n_workers]);
}
