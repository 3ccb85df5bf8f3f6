/* Work spread over threads, in equal parts. */
#include "kernels/cpu/parallel.h"

#include "kernels/cpu/thread_pool.h"

struct part {
    dg_range_fn *fn;
    void *data;
    int64_t from, to;
};

static void run_part(void *data)
{
    const struct part *part = data;

    part->fn(part->data, part->from, part->to);
}

static int64_t n_parts(int n_threads, int64_t count, int64_t grain)
{
    int64_t n = grain > 0 ? count / grain : count;

    n = n > n_threads ? n_threads : n;
    n = n > DG_THREADS_MOST ? DG_THREADS_MOST : n;
    return n > 1 ? n : 1;
}

void dg_parallel(int n_threads, int64_t count, int64_t grain, dg_range_fn *fn,
                 void *data)
{
    struct part parts[DG_THREADS_MOST];
    int64_t n = n_parts(n_threads, count, grain);

    if (n < 2) {
        if (count > 0)
            fn(data, 0, count);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        parts[i] = (struct part){fn, data, count / n * i,
                                 i == n - 1 ? count : count / n * (i + 1)};
    dg_thread_pool_run(n, run_part, parts, sizeof(*parts));
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
