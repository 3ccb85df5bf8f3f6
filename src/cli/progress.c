/* How far a long command is, on a terminal. */
#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"

static const double interval = 0.5; /* seconds */

void dg_progress_begin(struct dg_progress *progress, const char *things, size_t n_all)
{
    const char *terminal = getenv("TERM");

    *progress = (struct dg_progress){.things = things, .n_all = n_all};
    pthread_mutex_init(&progress->lock, NULL);
    clock_gettime(CLOCK_MONOTONIC, &progress->last);
    progress->on = isatty(STDERR_FILENO) && !dg_verbosity.quiet &&
                   !(terminal && !strcmp(terminal, "dumb"));
}

static void show(struct dg_progress *progress)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if ((double)(now.tv_sec - progress->last.tv_sec) +
            1e-9 * (double)(now.tv_nsec - progress->last.tv_nsec) <
        interval)
        return;
    progress->last = now;
    progress->shown = true;
    fprintf(stderr, "\r%zu of %zu %s", progress->n_done, progress->n_all,
            progress->things);
    fflush(stderr);
}

void dg_progress_step(struct dg_progress *progress)
{
    if (!progress->on)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->n_done++;
    show(progress);
    pthread_mutex_unlock(&progress->lock);
}

void dg_progress_end(struct dg_progress *progress)
{
    if (progress->shown)
        fprintf(stderr, "\r\033[K");
    pthread_mutex_destroy(&progress->lock);
}
