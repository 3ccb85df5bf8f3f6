/* Options that name folders with rules of the user. */
#ifndef DG_CLI_USER_RULES_H
#define DG_CLI_USER_RULES_H

#include "base/arena.h"
#include "cli/options.h"
#include "verifiers/verifier.h"

struct dg_user_options {
    struct dg_list folders;
    double seconds; /* that each rule may take; 0: not given */
};

/* Lines for a table of options; `field` is the dg_user_options in struct `type`. */
#define DG_USER_FOLDERS_OPTION(type, field)                                            \
    {                                                                                  \
        DG_OPTION_FILES, "rules", 0, "DIR", offsetof(type, field.folders),             \
            "a folder with rules of your own, in files that end in .sql"               \
    }
#define DG_USER_OPTIONS(type, field)                                                   \
    DG_USER_FOLDERS_OPTION(type, field),                                               \
    {                                                                                  \
        DG_OPTION_SECONDS, "rules-timeout", 0, "SECONDS",                              \
            offsetof(type, field.seconds),                                             \
            "stop a rule of your own after so long; default 60"                        \
    }

/* Read and compile the rules of all folders, before the first store is opened; *user is
 * NULL where none is given, else lives as long as `memory`. Mistakes in them are
 * DG_ERR_USAGE. */
enum dg_status dg_user_rules_load(const struct dg_verifier **user,
                                  const struct dg_user_options *options,
                                  struct dg_arena *memory, struct dg_error *err);

#endif
