/* The calls of a run: inputs and expected outputs, from wherever they come. */
#ifndef DG_CLI_RUN_CALLS_H
#define DG_CLI_RUN_CALLS_H

#include "cli/options.h"
#include "cli/run_program.h"
#include "exec/run.h"

struct dg_run_calls {
    struct dg_numeric_call *calls;
    size_t n_calls;
    struct dg_inputs *inputs;
    struct dg_value_set *input_sets, *expected_sets, *actual_sets;
    int64_t seed; /* -1: not random */
    struct dg_arena memory;
};

/* Files of --actual and --expected: what is compared without a run. */
enum dg_status dg_run_actual_calls(struct dg_run_calls *calls,
                                   const struct dg_run_program *program,
                                   const struct dg_list *actual,
                                   const struct dg_list *expected,
                                   struct dg_error *err);

/* Files of --inputs and --expected; else the test sets of a bundle, the samples of a
 * .pt2, be it the program or the one that it is compared with (NULL: none), or random
 * values. `seed` -1: none was given. Clear *calls even on failure. */
enum dg_status
dg_run_calls(struct dg_run_calls *calls, const struct dg_run_program *program,
             const struct dg_run_program *against, const struct dg_list *inputs,
             const struct dg_list *expected, int64_t seed, struct dg_error *err);
void dg_run_calls_clear(struct dg_run_calls *calls);

#endif
