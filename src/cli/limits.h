/* --limit NAME=NUMBER: what the rules of the family budget hold a program to. */
#ifndef DG_CLI_LIMITS_H
#define DG_CLI_LIMITS_H

#include "cli/options.h"
#include "store/store.h"

/* Whether "NAME=NUMBER" is a limit, wherever it was written: "peak-memory=20K: expected
 * ...". */
enum dg_status dg_limit_check(const char *item, struct dg_error *err);

/* Of one that is: whether it bounds growth, so that it takes an older program. */
bool dg_limit_grows(const char *item);

/* The first of them that does, or NULL. */
const char *dg_limits_growing(const struct dg_list *limits);

/* Each becomes a setting "limit.NAME", as it was written. */
enum dg_status dg_limits_apply(const struct dg_list *limits, struct dg_store *store,
                               struct dg_error *err);

#endif
