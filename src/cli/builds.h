/* Stores of many builds, which load --append makes and trend compares. */
#ifndef DG_CLI_BUILDS_H
#define DG_CLI_BUILDS_H

#include "cli/options.h"
#include "store/store.h"

/* What is said of builds on the command line. */
struct dg_build {
    const char *name;      /* NULL: that of the file, without its folder */
    struct dg_list labels; /* "branch=main" */
    int64_t jobs;          /* threads; 0: one for each processor */
};

/* Fails on labels that are none. */
enum dg_status dg_build_check(const struct dg_build *build, struct dg_error *err);

/* *lock: the folder of the store `path`, locked against others that add to a store in
 * it, after waiting for them. The caller closes it when the store is renamed. */
enum dg_status dg_builds_lock(int *lock, const char *path, struct dg_error *err);

/* All that lies in `from`, if that is there, to `path`, which is empty. */
enum dg_status dg_builds_copy(const char *from, const char *path, struct dg_error *err);

/* Whether something was copied there. */
bool dg_builds_are_there(const char *path);

/* Read what can be read once, until dg_inputs_forget(). All that cannot be read is
 * told, but for the last one, which is in *err. */
enum dg_status dg_builds_keep_files(char **paths, struct dg_error *err);

/* Add a build for each program of `paths`, which end with NULL; behind a program stands
 * what belongs to it: a .ptd, an ETDump, an ETRecord. */
enum dg_status dg_builds_add(struct dg_store *store, char **paths,
                             const struct dg_build *words, struct dg_error *err);

#endif
