/* The smallest part of a program that still shows what is wrong with another, or with a
 * device: its nodes, what they read there, and what came of it there. */
#ifndef DG_EXEC_REDUCE_H
#define DG_EXEC_REDUCE_H

#include "exec/run.h"

struct dg_repro {
    const struct dg_schedule *whole; /* of the request */
    struct dg_schedule part;         /* of it, whose memory it shares */
    bool *chosen;                    /* by step of that */
    size_t n_nodes;                  /* that compute something */
    struct dg_value_set inputs;      /* of the part, by the names of its inputs */
    struct dg_value_set wrong;       /* out0...: what the tested program gave */
    struct dg_arg
        *values; /* by slot: what the part makes of the inputs; NONE of others */
    struct dg_judgement judgement; /* of what fails */
    struct dg_arena memory;
};

/* `answer`: of a run with `bisect` that named a culprit, with these calls. The part is
 * the culprit, with what was not compared before it where that is what is wrong: its
 * inputs are what the tested program has there, its weights those of the request's
 * schedule, which is that of a .pt2. DG_ERR_DEVICE: it cannot be reduced, and why.
 * Clear *repro even on failure. */
enum dg_status dg_reduce(struct dg_repro *repro,
                         const struct dg_numeric_request *request,
                         const struct dg_numeric_call *calls, size_t n_calls,
                         const struct dg_numeric_answer *answer, struct dg_error *err);
/* Write the part as a .pt2 whose weights are buffers, and whose example inputs are
 * those of *repro; `store` has the rows of the whole. */
enum dg_status dg_repro_write_pt2(const struct dg_repro *repro, struct dg_store *store,
                                  const char *path, struct dg_error *err);
void dg_repro_clear(struct dg_repro *repro);

#endif
