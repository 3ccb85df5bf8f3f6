/* The rules over one program after another, several at a time. */
#ifndef DG_CLI_CHECK_FILE_H
#define DG_CLI_CHECK_FILE_H

#include "cli/gate.h"
#include "gate/outcome.h"

/* What holds for each of them. */
struct dg_check_how {
    const struct dg_gate *gate;
    const char *source_root; /* NULL: nobody asks for lines of Python */
};

/* A program, the .ptd files behind it, and what came out. Starts with the paths alone;
 * dg_check_files_clear() ends it. */
struct dg_check_file {
    char **paths;
    size_t n_paths;
    struct dg_arena memory;
    struct dg_outcome *outcomes; /* one; of a store, one for each program in it */
    size_t n_outcomes;
    struct dg_error err; /* why there is none, or DG_OK */
};

/* A program and the .ptd files behind it among `paths` are a file. The caller frees the
 * array after dg_check_files_clear(). */
struct dg_check_file *dg_check_files_make(size_t *n_files, char **paths,
                                          size_t n_paths);

/* Fills in all of them, at most `n_threads` (0: as many as there are processors) at a
 * time. No file stops another. */
void dg_check_files(const struct dg_check_how *how, struct dg_check_file *files,
                    size_t n_files, int64_t n_threads);
void dg_check_files_clear(struct dg_check_file *files, size_t n_files);

/* What came out of all of them, in their order; the caller frees the array, which lives
 * as long as they do. */
struct dg_outcome *dg_check_files_outcomes(size_t *n_outcomes,
                                           const struct dg_check_file *files,
                                           size_t n_files);

/* Complain about those that could not be read; the worst exit code. */
int dg_check_files_complain(const struct dg_check_file *files, size_t n_files);

#endif
