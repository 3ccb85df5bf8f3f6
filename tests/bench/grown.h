/* Large programs to time rules on. */
#ifndef DG_TESTS_GROWN_H
#define DG_TESTS_GROWN_H

#include "store/store.h"

/* A method of `count` calls: "pt2" or "plan" an FX graph, "pte" instructions. */
enum dg_status grown_chain(struct dg_program *program, const char *what, int64_t count,
                           struct dg_error *err);

/* A .pte with `count` of one thing: "lists" of which each holds the same value, "shared"
 * uses of one list, "delegates", "constants", "named" data. */
enum dg_status grown_wide(struct dg_program *program, const char *what, int64_t count,
                          struct dg_error *err);

/* The methods of a file, `times` over. */
enum dg_status grown_file(struct dg_program *program, const char *path, int64_t times,
                          struct dg_error *err);

/* A plan of the first method: most calls, in partitions of 100. */
enum dg_status grown_plan(struct dg_store *store, struct dg_error *err);

#endif
