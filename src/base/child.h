/* Work in a child process with limits: what lays out and draws can run for hours, take
 * all memory or crash on what looks harmless. */
#ifndef DG_BASE_CHILD_H
#define DG_BASE_CHILD_H

#include "base/error.h"
#include "base/text.h"

/* A watchdog for what hangs, and no measure of what is worth drawing. */
enum { DG_CHILD_SECONDS = 60 };

struct dg_child_limits {
    unsigned seconds;   /* of the clock; 0: DG_CHILD_SECONDS */
    unsigned megabytes; /* of memory; 0: the default, 2048 */
};

/* What a child does: writes its answer to `to`, and returns 0 or why there is none. */
enum {
    DG_CHILD_BROKEN = 10, /* it could not even begin, or end */
    DG_CHILD_CANNOT = 11,
};
struct dg_child_task {
    int (*work)(const void *state, int to);
    const void *state;
    /* For messages: whose work it is, what it cannot do after DG_CHILD_CANNOT, and what
     * to do in place of work that takes too much. */
    const char *who, *cannot, *instead;
    bool partial; /* what it answered before it failed is kept */
};

/* Append the answer; of one that fails nothing, unless the task is partial. DG_ERR_IO
 * when no process can be started, DG_ERR_STOPPED when the child ran out of time, DG_ERR_DEVICE when
 * it cannot do it or crashed; the text says which. */
enum dg_status dg_child_run(struct dg_writer *out, const struct dg_child_task *task,
                            const struct dg_child_limits *limits, struct dg_error *err);

/* In a child: all of `data`; 0 or DG_CHILD_BROKEN. */
int dg_child_answer(int to, const char *data, size_t size);

#endif
