/* Outputs and the stores that they would replace. */
#ifndef DG_CLI_STORE_OUTPUT_H
#define DG_CLI_STORE_OUTPUT_H

#include "base/output.h"
#include "store/store.h"

/* DG_ERR_USAGE where `path` is a store with builds, which nothing gives back. */
enum dg_status dg_builds_spare(const char *path, struct dg_error *err);

/* The same of an output that will be a store; nothing may lie beside it, either. */
enum dg_status dg_store_output_check(const char *path, struct dg_error *err);

/* That and dg_output_begin(). */
enum dg_status dg_store_output_begin(struct dg_output *output, const char *path,
                                     struct dg_error *err);

#endif
