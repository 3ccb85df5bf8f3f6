/* An end for work that cannot be interrupted, in any thread. */
#ifndef DG_BASE_WATCH_H
#define DG_BASE_WATCH_H

#include <pthread.h>
#include <stdbool.h>

struct dg_watch {
    double seconds;
    const char *words;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool begun, over;
};

/* Called, in a thread of its own, with the words of work that is overdue; must not
 * return. The command line says them, cleans up and exits with 4. NULL, which is the
 * default: nobody watches. */
extern void (*dg_overdue)(const char *words);

/* The work that this thread now begins may take `seconds` (0: any time) until
 * dg_watch_end(). `words` live until then. Where the system gives no thread for it,
 * work that never ends is not ended. */
void dg_watch_begin(struct dg_watch *watch, double seconds, const char *words);
void dg_watch_end(struct dg_watch *watch);

#endif
