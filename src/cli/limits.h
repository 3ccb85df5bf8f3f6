/* --limit NAME=NUMBER: what the rules of the family budget hold a program to. */
#ifndef DG_CLI_LIMITS_H
#define DG_CLI_LIMITS_H

#include "cli/options.h"
#include "store/store.h"

/* Whether "NAME=VALUE" is a limit. */
enum dg_status dg_limit_check(const char *item, struct dg_error *err);

/* Each becomes a setting "limit.NAME": a number, and how it was written where that is
 * not the number itself. */
enum dg_status dg_limits_apply(const struct dg_list *limits, struct dg_store *store,
                               struct dg_error *err);

#endif
