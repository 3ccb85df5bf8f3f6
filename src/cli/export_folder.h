/* The folder that an export writes into: new, empty, or of an older one. */
#ifndef DG_CLI_EXPORT_FOLDER_H
#define DG_CLI_EXPORT_FOLDER_H

#include <stdbool.h>

#include "base/error.h"

struct dg_export_folder {
    const char *path;
    int mark;  /* the open file that says that an export is under way, locked */
    bool made; /* it was not there */
};

/* Where a manifest or the mark says that the folder is of an export, that ends here,
 * whether it was complete, or was killed on its way. DG_ERR_USAGE where the folder
 * holds something else, or another process exports into it. `path` is kept. */
enum dg_status dg_export_folder_open(struct dg_export_folder *folder, const char *path,
                                     struct dg_error *err);

/* Ends what was opened: of a failure nothing stays, and `status` is returned. */
enum dg_status dg_export_folder_close(struct dg_export_folder *folder,
                                      enum dg_status status);

/* The tables with that ending, and what killed processes left of them. */
void dg_export_remove_tables(const char *path, const char *ending);

#endif
