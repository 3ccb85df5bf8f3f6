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

static int64_t n_parts(int n_threads, int64_t count, int64_t grain)
{
    int64_t n = grain > 0 ? count / grain : count;

    n = n > n_threads ? n_threads : n;
    n = n > THREADS_MOST ? THREADS_MOST : n;
    return n > 1 ? n : 1;
}

void dg_parallel(int n_threads, int64_t count, int64_t grain, dg_range_fn *fn,
                 void *data)
{
    struct part parts[THREADS_MOST];
    int64_t n = n_parts(n_threads, count, grain);

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

struct lines {
    dg_line_range_fn *fn;
    void *data;
    double *lines;
    int64_t length, n, count;
};

static void run_with_lines(void *data, int64_t from, int64_t to)
{
    const struct lines *lines = data;
    int64_t share = lines->count / lines->n;

    for (int64_t i = from; i < to; i++)
        lines->fn(lines->data, lines->lines + i * lines->length, share * i,
                  i + 1 < lines->n ? share * (i + 1) : lines->count);
}

enum dg_status dg_parallel_lines(struct dg_call *call, int64_t count, int64_t grain,
                                 int64_t length, dg_line_range_fn *fn, void *data)
{
    int n_threads = call->context->n_threads;
    int64_t n = n_parts(n_threads, count, grain), all;
    struct lines lines = {fn, data, NULL, length, n, count};

    if (__builtin_mul_overflow(n, length, &all))
        all = -1;
    lines.lines = dg_scratch(call, all, sizeof(*lines.lines));
    if (!lines.lines)
        return call->err->status;
    dg_parallel(n_threads, n, 1, run_with_lines, &lines);
    return DG_OK;
}
