/* Which nodes of a method can be run, and where, before anything runs. */
#ifndef DG_EXEC_COVERAGE_H
#define DG_EXEC_COVERAGE_H

#include "base/text_set.h"
#include "exec/schedule.h"

/* The nodes that call one operator, and that one thing keeps from running. */
struct dg_coverage_row {
    const char *op;
    const char *why; /* they cannot be run; NULL: they can */
    bool on_cuda;    /* by a kernel of its own: else the CPU does it in a run there */
    size_t n_nodes;
    const char *node; /* the first of them */
};

/* What control flow does without a kernel is not counted: moves, jumps, getitem, calls
 * of graphs. Nodes of branches and delegates are, each of them once. */
struct dg_coverage {
    struct dg_coverage_row *rows; /* in the order of their first nodes */
    size_t n_rows;
    size_t n_nodes, n_inside; /* inside: of delegates */
    size_t n_cpu, n_cuda;
    size_t n_outputs, n_known; /* known: rest on no node that cannot be run */
    struct dg_text_set names;  /* of rows */
    struct dg_arena memory;
};

/* `store` has the rows that the schedule was made from, which outlives *coverage. Clear
 * it even on failure. */
enum dg_status dg_coverage_of(struct dg_coverage *coverage,
                              const struct dg_schedule *schedule,
                              struct dg_store *store, struct dg_error *err);
void dg_coverage_clear(struct dg_coverage *coverage);

#endif
