/* Measures of builds, by threads beside the one that loads them. */
#ifndef DG_CLI_MEASURING_H
#define DG_CLI_MEASURING_H

#include "store/store.h"

struct dg_measuring;

/* `n_threads` with the one that loads; 0: one for each processor. */
struct dg_measuring *dg_measuring_begin(int64_t n_threads);

/* Measure the program paths[0] with what stands behind it, for that build. The paths
 * live until the end. */
void dg_measuring_add(struct dg_measuring *measuring, char **paths, size_t n_paths,
                      int64_t build);

/* Wait for all of them, and write them into `store` in the order in which they came;
 * the first that cannot be measured is the error. With a status of something that
 * failed before, what is not begun is left, and that status returned. Frees
 * `measuring`. */
enum dg_status dg_measuring_end(struct dg_measuring *measuring, struct dg_store *store,
                                enum dg_status status, struct dg_error *err);

#endif
