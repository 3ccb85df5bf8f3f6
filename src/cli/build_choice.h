/* Builds as command lines name them. */
#ifndef DG_CLI_BUILD_CHOICE_H
#define DG_CLI_BUILD_CHOICE_H

#include "cli/options.h"
#include "store/store.h"

/* Fails where one is not NAME=VALUE in UTF-8 without controls, or two have one NAME. */
enum dg_status dg_labels_check(const struct dg_list *labels, struct dg_error *err);

/* {"branch":"main"}; fails on labels that are none. */
enum dg_status dg_write_labels(struct dg_writer *out, const struct dg_list *labels,
                               struct dg_error *err);

/* A name that no build has is wrong usage. */
enum dg_status dg_build_name_check(struct dg_store *store, const char *name,
                                   struct dg_error *err);

#endif
