/* Graphviz in a child process with limits: it can run for hours, take all memory or
 * crash on graphs that look harmless. */
#ifndef DG_REPORTS_PICTURE_GRAPHVIZ_H
#define DG_REPORTS_PICTURE_GRAPHVIZ_H

#include "base/error.h"
#include "base/text.h"

/* A watchdog for what hangs, and no measure of what is worth drawing. */
enum { DG_GRAPHVIZ_SECONDS = 60 };

struct dg_graphviz_limits {
    unsigned seconds;   /* of the clock; 0: DG_GRAPHVIZ_SECONDS */
    unsigned megabytes; /* of memory; 0: the default, 2048 */
};

/* What a child does: writes its answer to `to`, and returns 0 or one of the reasons. */
enum {
    DG_GRAPHVIZ_SYNTAX = 10,
    DG_GRAPHVIZ_LAYOUT = 11,
    DG_GRAPHVIZ_RENDER = 12,
    DG_GRAPHVIZ_WRITE = 13,
};
struct dg_graphviz_task {
    int (*work)(const void *state, int to);
    const void *state;
    const char *format; /* what it makes, for messages */
};

/* Append the answer. DG_ERR_STOPPED when Graphviz ran out of time, DG_ERR_DEVICE when
 * it cannot do it or crashed; the text says which. */
enum dg_status dg_graphviz_run(struct dg_writer *out,
                               const struct dg_graphviz_task *task,
                               const struct dg_graphviz_limits *limits,
                               struct dg_error *err);

/* In a child: all of `data`; 0 or DG_GRAPHVIZ_WRITE. */
int dg_graphviz_answer(int to, const char *data, size_t size);

/* Append the image, "svg", "png" or "pdf". */
enum dg_status dg_graphviz_render(struct dg_writer *out, struct dg_text dot,
                                  const char *format,
                                  const struct dg_graphviz_limits *limits,
                                  struct dg_error *err);

#endif
