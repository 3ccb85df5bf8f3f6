/* The tables of a store as files of a folder. */
#ifndef DG_CLI_EXPORT_FILES_H
#define DG_CLI_EXPORT_FILES_H

#include "store/store.h"

/* A file for each table and manifest.json at the end, in a folder that is new, empty or
 * holds an older export, complete or not; after a failure it holds none. format: csv,
 * jsonl, parquet. DG_ERR_USAGE where the folder holds something else, DG_ERR_DEVICE
 * where nothing is there that writes Parquet. */
enum dg_status dg_export_files(struct dg_store *store, const char *format,
                               const char *folder, struct dg_error *err);

#endif
