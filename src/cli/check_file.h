/* The rules over one program after another, several at a time. */
#ifndef DG_CLI_CHECK_FILE_H
#define DG_CLI_CHECK_FILE_H

#include "base/text.h"
#include "cli/gate.h"

/* What holds for each of them. */
struct dg_check_how {
    const struct dg_gate *gate;
    bool json, timing, color;
};

/* A program, the .ptd files behind it, and what came out. Starts with the paths alone;
 * whoever reads `text` clears it. */
struct dg_check_file {
    char **paths;
    size_t n_paths;
    struct dg_writer text; /* of its artifacts; in JSON with commas between them */
    int n_artifacts;
    int64_t totals[DG_N_SEVERITIES]; /* errors, warnings, notes */
    struct dg_error err;             /* why there is no text, or DG_OK */
};

/* Fills in all of them, at most `n_threads` (0: as many as there are processors) at a
 * time. No file stops another. */
void dg_check_files(const struct dg_check_how *how, struct dg_check_file *files,
                    size_t n_files, int64_t n_threads);

#endif
