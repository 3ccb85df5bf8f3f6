/* Work spread over threads that live for one call. */
#include "kernels/cpu/parallel.h"

#include <pthread.h>
#include <stdbool.h>

enum { THREADS_MOST = 64 };

struct part {
    dg_range_fn *fn;
    void *data;
    int64_t from, to;
    pthread_t thread;
    bool started;
};

static void *run_part(void *data)
{
    struct part *part = data;

    part->fn(part->data, part->from, part->to);
    return NULL;
}

void dg_parallel(int n_threads, int64_t count, int64_t grain, dg_range_fn *fn,
                 void *data)
{
    struct part parts[THREADS_MOST];
    int64_t n = grain > 0 ? count / grain : count;

    n = n > n_threads ? n_threads : n;
    n = n > THREADS_MOST ? THREADS_MOST : n;
    if (n < 2) {
        if (count > 0)
            fn(data, 0, count);
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        parts[i] =
            (struct part){fn, data, count / n * i, count / n * (i + 1), 0, false};
        if (i == n - 1)
            parts[i].to = count;
        else
            parts[i].started =
                !pthread_create(&parts[i].thread, NULL, run_part, &parts[i]);
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        if (parts[i].started)
            pthread_join(parts[i].thread, NULL);
        else
            run_part(&parts[i]);
    }
}
