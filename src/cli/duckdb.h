/* DuckDB, which writes Parquet: its command, or else Python's module. */
#ifndef DG_CLI_DUCKDB_H
#define DG_CLI_DUCKDB_H

#include "base/bytes.h"
#include "base/error.h"

/* Run statements with `folder` as the folder that file names begin in. DG_ERR_DEVICE
 * where there is no DuckDB. */
enum dg_status dg_duckdb_run(const char *folder, struct dg_text sql,
                             struct dg_error *err);

#endif
