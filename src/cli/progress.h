/* How far a long command is, on a terminal: a line that is gone when it ends. */
#ifndef DG_CLI_PROGRESS_H
#define DG_CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* Several threads may step. */
struct dg_progress {
    pthread_mutex_t lock;
    const char *things; /* "programs" */
    size_t n_done, n_all;
    bool on, shown;
    struct timespec last; /* when it was shown, or begun */
};

/* Nothing is shown unless standard error is a terminal, with --quiet, or in the first
 * half second. */
void dg_progress_begin(struct dg_progress *progress, const char *things, size_t n_all);
void dg_progress_step(struct dg_progress *progress);
void dg_progress_end(struct dg_progress *progress);

#endif
