/* --limit NAME=NUMBER: what the rules of the family budget hold a program to. */
#ifndef DG_CLI_LIMITS_H
#define DG_CLI_LIMITS_H

#include "cli/options.h"
#include "store/store.h"

/* Lines for a table of options. */
#define DG_LIMIT_OPTIONS(type, limits, against)                                        \
    {DG_OPTION_LIST,                                                                   \
     "limit",                                                                          \
     0,                                                                                \
     "NAME=NUMBER",                                                                    \
     offsetof(type, limits),                                                           \
     "fail where budget/NAME is above NUMBER, a share below; +2%: above OLD"},         \
    {                                                                                  \
        DG_OPTION_FILE, "against", 0, "OLD", offsetof(type, against),                  \
            "the older program, or folder of them, that --limit NAME=+2% is about"     \
    }

/* Whether "NAME=NUMBER" is a limit, wherever it was written: "peak-memory=20K: expected
 * ...". */
enum dg_status dg_limit_check(const char *item, struct dg_error *err);

/* The first of them that bounds growth, so that it takes an older program, or NULL. */
const char *dg_limits_growing(const struct dg_list *limits);

/* Each becomes a setting "limit.NAME", as it was written. */
enum dg_status dg_limits_apply(const struct dg_list *limits, struct dg_store *store,
                               struct dg_error *err);

#endif
