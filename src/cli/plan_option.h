/* --plan FILE and --force: a plan from a file takes the place of the program's own. */
#ifndef DG_CLI_PLAN_OPTION_H
#define DG_CLI_PLAN_OPTION_H

#include "cli/options.h"
#include "formats/input.h"

struct dg_plan_option {
    const char *path; /* NULL: not given */
    bool force;
};

/* Lines for a table of options; `field` is the dg_plan_option in struct `type`. */
#define DG_PLAN_OPTION(type, field)                                                    \
    {                                                                                  \
        DG_OPTION_FILE, "plan", 0, "FILE", offsetof(type, field.path),                 \
            "the plan to look at: which node belongs to which delegate (JSON)"         \
    }
#define DG_FORCE_OPTION(type, field)                                                   \
    {                                                                                  \
        DG_OPTION_FLAG, "force", 0, NULL, offsetof(type, field.force),                 \
            "take a plan for another program, too"                                     \
    }

/* What becomes of a plan that names other nodes than the program has: */
enum dg_plan_doubt {
    DG_PLAN_CHECKED, /* rules tell it */
    DG_PLAN_WARNS,   /* a line on standard error */
    DG_PLAN_FAILS,
};

/* Make the plan that was given, if one was, the newest of the program in `input`, which
 * must hold exactly one. */
enum dg_status dg_plan_option_apply(const struct dg_plan_option *option,
                                    enum dg_plan_doubt doubt,
                                    const struct dg_input *input, struct dg_error *err);

#endif
