/* An end for work that cannot be interrupted: a thread that waits for the end of it. */
#include "base/watch.h"

#include <errno.h>
#include <math.h>
#include <time.h>

void (*dg_overdue)(const char *words);

static struct timespec from_now(double seconds)
{
    const double longest = 1e8; /* three years */
    double whole = floor(fmin(seconds, longest));
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += (time_t)whole;
    time.tv_nsec += (long)((fmin(seconds, longest) - whole) * 1e9);
    time.tv_sec += time.tv_nsec / 1000000000;
    time.tv_nsec %= 1000000000;
    return time;
}

static void *wait_for_it(void *state)
{
    struct dg_watch *watch = state;
    struct timespec until = from_now(watch->seconds);
    int code = 0;

    pthread_mutex_lock(&watch->lock);
    while (!watch->over && code != ETIMEDOUT)
        code = pthread_cond_timedwait(&watch->ended, &watch->lock, &until);
    if (!watch->over)
        dg_overdue(watch->words);
    pthread_mutex_unlock(&watch->lock);
    return NULL;
}

void dg_watch_begin(struct dg_watch *watch, double seconds, const char *words)
{
    pthread_condattr_t how;

    *watch = (struct dg_watch){.seconds = seconds, .words = words};
    if (seconds <= 0 || !dg_overdue)
        return;
    pthread_mutex_init(&watch->lock, NULL);
    pthread_condattr_init(&how);
    pthread_condattr_setclock(&how, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->ended, &how);
    pthread_condattr_destroy(&how);
    watch->begun = !pthread_create(&watch->thread, NULL, wait_for_it, watch);
}

void dg_watch_end(struct dg_watch *watch)
{
    if (!watch->begun)
        return;
    pthread_mutex_lock(&watch->lock);
    watch->over = true;
    pthread_cond_signal(&watch->ended);
    pthread_mutex_unlock(&watch->lock);
    pthread_join(watch->thread, NULL);
    pthread_cond_destroy(&watch->ended);
    pthread_mutex_destroy(&watch->lock);
}
