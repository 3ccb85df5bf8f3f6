/* Stores of many builds, which load --append makes and trend compares. */
#ifndef DG_CLI_BUILDS_H
#define DG_CLI_BUILDS_H

#include "cli/options.h"
#include "store/store.h"

/* What is said of builds on the command line. */
struct dg_build {
    const char *name;      /* NULL: that of the file, without its folder */
    struct dg_list labels; /* "branch=main" */
};

/* Fails on labels that are none. */
enum dg_status dg_build_check(const struct dg_build *build, struct dg_error *err);

/* *lock: the store that lies at `path`, open, and locked against others that add to it,
 * after waiting for them; -1: none lies there. The caller closes it when it is renamed. */
enum dg_status dg_builds_lock(int *lock, const char *path, struct dg_error *err);

/* All that lies in the open file `from`, at the end of `path`, which is empty. */
enum dg_status dg_builds_copy(int from, const char *path, struct dg_error *err);

/* Whether something was copied there. */
bool dg_builds_are_there(const char *path);

/* Add a build for each program of `paths`, which end with NULL; behind a program stands
 * what belongs to it, a .ptd or an ETDump. */
enum dg_status dg_builds_add(struct dg_store *store, char **paths,
                             const struct dg_build *build, struct dg_error *err);

#endif
