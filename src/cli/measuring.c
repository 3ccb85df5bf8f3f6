/* Measures of builds, by threads beside the one that loads them. */
#include "cli/measuring.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/arena.h"
#include "cli/answer.h"
#include "cli/options.h"
#include "formats/input.h"
#include "verifiers/measures.h"
#include "verifiers/verifier.h"

struct task {
    char **paths;
    size_t n_paths;
    int64_t build;
    struct dg_measures measures;
    struct dg_error *notes; /* what was measured elsewhere, and is no number of it */
    size_t n_notes;
    enum dg_status status;
    struct dg_error err;
    struct task *next;
};

/* A list at whose end the thread that loads adds, and from which whoever is free takes
 * the next one; all that is shared is under the lock. */
struct dg_measuring {
    pthread_mutex_t lock;
    pthread_cond_t more;
    struct task *first, *last, *waiting;
    bool all_there, given_up;
    pthread_t *threads;
    size_t n_threads;
};

static enum dg_status note_unjoined(struct task *task, struct dg_store *store)
{
    struct dg_rows rows = dg_rows_all(
        store, "SELECT message FROM finding WHERE rule = 'profile/method'", &task->err);

    while (dg_rows_next(&rows))
        dg_fail(DG_APPEND(task->notes, task->n_notes), DG_OK, "note: %s",
                dg_rows_text(&rows, 0));
    return dg_rows_close(&rows, DG_OK, &task->err);
}

/* Of the program in a store of its own. */
static enum dg_status measure(struct task *task, struct dg_store **spare)
{
    struct dg_input input = {0};
    struct dg_error *err = &task->err;
    enum dg_status status =
        dg_input_open_next(&input, spare, task->paths[0], DG_HASH_QUICK, err);

    for (size_t i = 1; i < task->n_paths && !status; i++)
        status = dg_input_join_any(&input, task->paths[i], DG_HASH_QUICK, err);
    if (!status)
        status = dg_verify(input.store, NULL, NULL, NULL, err);
    if (!status)
        status = note_unjoined(task, input.store);
    if (!status)
        status = dg_measures_find(&task->measures, input.store, err);
    dg_input_close_before_next(&input, spare);
    return status;
}

/* NULL: there is none, and none will come. */
static struct task *take(struct dg_measuring *measuring)
{
    struct task *task;

    pthread_mutex_lock(&measuring->lock);
    while (!measuring->waiting && !measuring->all_there)
        pthread_cond_wait(&measuring->more, &measuring->lock);
    task = measuring->given_up ? NULL : measuring->waiting;
    if (task)
        measuring->waiting = task->next;
    pthread_mutex_unlock(&measuring->lock);
    return task;
}

static void *take_turns(void *context)
{
    struct dg_measuring *measuring = context;
    struct dg_store *spare = NULL;
    struct task *task;

    while ((task = take(measuring)))
        task->status = measure(task, &spare);
    dg_store_close(spare);
    return NULL;
}

/* A system that gives fewer threads makes it slower, not wrong. */
struct dg_measuring *dg_measuring_begin(int64_t n_threads)
{
    struct dg_measuring *measuring = dg_zeroed(1, sizeof(*measuring));
    size_t n = dg_option_threads(n_threads);

    pthread_mutex_init(&measuring->lock, NULL);
    pthread_cond_init(&measuring->more, NULL);
    measuring->threads = dg_zeroed(n, sizeof(*measuring->threads));
    while (measuring->n_threads + 1 < n &&
           !pthread_create(&measuring->threads[measuring->n_threads], NULL, take_turns,
                           measuring))
        measuring->n_threads++;
    return measuring;
}

void dg_measuring_add(struct dg_measuring *measuring, char **paths, size_t n_paths,
                      int64_t build)
{
    struct task *task = dg_zeroed(1, sizeof(*task));

    task->paths = paths;
    task->n_paths = n_paths;
    task->build = build;
    pthread_mutex_lock(&measuring->lock);
    *(measuring->last ? &measuring->last->next : &measuring->first) = task;
    measuring->last = task;
    if (!measuring->waiting)
        measuring->waiting = task;
    pthread_cond_signal(&measuring->more);
    pthread_mutex_unlock(&measuring->lock);
}

static void finish(struct dg_measuring *measuring, bool give_up)
{
    pthread_mutex_lock(&measuring->lock);
    measuring->all_there = true;
    measuring->given_up = give_up;
    pthread_cond_broadcast(&measuring->more);
    pthread_mutex_unlock(&measuring->lock);
    take_turns(measuring);
    for (size_t i = 0; i < measuring->n_threads; i++)
        pthread_join(measuring->threads[i], NULL);
}

static enum dg_status keep(struct task *task, struct dg_store *store,
                           struct dg_error *err)
{
    for (size_t i = 0; i < task->n_notes; i++)
        dg_complain_about(task->paths[0], &task->notes[i]);
    if (task->status) {
        *err = task->err;
        return task->status;
    }
    return dg_measures_keep(store, task->build, &task->measures, err);
}

static void free_task(struct task *task)
{
    dg_measures_clear(&task->measures);
    free(task->notes);
    free(task);
}

enum dg_status dg_measuring_end(struct dg_measuring *measuring, struct dg_store *store,
                                enum dg_status status, struct dg_error *err)
{
    finish(measuring, status != DG_OK);
    for (struct task *task = measuring->first, *next; task; task = next) {
        next = task->next;
        if (!status)
            status = keep(task, store, err);
        free_task(task);
    }
    pthread_cond_destroy(&measuring->more);
    pthread_mutex_destroy(&measuring->lock);
    free(measuring->threads);
    free(measuring);
    return status;
}
