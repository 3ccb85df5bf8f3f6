/* What `run` says of a program that is checked: findings of the rules numerics/... */
#ifndef DG_CLI_CHECK_NUMERICS_H
#define DG_CLI_CHECK_NUMERICS_H

#include "cli/gate.h"

/* Runs of one program. */
struct dg_check_runs {
    struct dg_outcome_run *runs;
    size_t n_runs;
};

/* Whether --numerics and what goes with it make sense for so many files. */
enum dg_status dg_numerics_options_check(const struct dg_gate *gate, size_t n_files,
                                         struct dg_error *err);

/* Run the program `paths[0]`, with the .ptd files behind it, and leave remarks in the
 * store of `input`, which holds it and what goes with it: rules make findings of them.
 * Fails where it cannot be looked at; what it gives is no failure. All of *out lies in
 * `memory`. One run at a time: others wait. */
enum dg_status dg_check_numerics(struct dg_check_runs *out, const struct dg_gate *gate,
                                 char **paths, size_t n_paths,
                                 const struct dg_input *input, struct dg_arena *memory,
                                 struct dg_error *err);

#endif
