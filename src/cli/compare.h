/* Two programs side by side, for commands that compare them. */
#ifndef DG_CLI_COMPARE_H
#define DG_CLI_COMPARE_H

#include "diff/diff.h"
#include "formats/input.h"
#include "verifiers/verifier.h"

/* Both of one kind, and one program each. */
enum dg_status dg_compare(struct dg_diff *diff, const struct dg_input *old,
                          const struct dg_input *new, struct dg_error *err);

/* Open the program `path`, which is older than `new`, and keep in the store of `new`
 * what is different. `selection`: findings count, those of these rules, which `new` has
 * already; NULL: they do not. */
enum dg_status dg_compare_against(struct dg_input *new, const char *path,
                                  const struct dg_selection *selection,
                                  struct dg_error *err);

#endif
