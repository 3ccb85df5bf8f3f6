/* What run prints. */
#ifndef DG_CLI_RUN_PRINT_H
#define DG_CLI_RUN_PRINT_H

#include "base/text.h"
#include "exec/run.h"

/* Where the culprit stands in the model. */
struct dg_run_origin {
    const char *module, *file; /* NULL: not known */
    int64_t line;
};

/* With --reduce: the part that shows what is wrong, and the files it was written to. */
struct dg_run_reduced {
    const struct dg_step **steps; /* that compute something */
    size_t n_steps, n_whole;      /* whole: of the method */
    const char *why;
    const char *folder, *program, *inputs, *wrong, *store, *picture; /* paths */
};

struct dg_run_answer {
    const struct dg_numeric_request *request;
    const struct dg_numeric_answer *answer;
    const struct dg_numeric_call *calls;
    size_t n_calls;
    const char *path, *method, *inputs;
    struct dg_run_origin origin;
    const struct dg_run_reduced *reduced; /* NULL */
    bool color;
    bool steps; /* tell each of them, or with the culprit only what led to it */
};

/* "2 outputs: 1 passed, 1 failed, 0 not compared"; by verdict. */
void dg_run_write_counts(struct dg_writer *out, const int64_t counts[3]);
/* The culprit of bisect, or that there is none. */
void dg_run_print_bisect(struct dg_writer *out, const struct dg_run_answer *answer);
/* What --reduce wrote. */
void dg_run_print_reduced(struct dg_writer *out, const struct dg_run_reduced *reduced);
void dg_run_text(struct dg_writer *out, const struct dg_run_answer *answer);
void dg_run_json(struct dg_writer *out, const struct dg_run_answer *answer);

#endif
