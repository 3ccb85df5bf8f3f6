/* --config: the policy of a gate, and what the command line says beside it. */
#ifndef DG_CLI_POLICY_OPTION_H
#define DG_CLI_POLICY_OPTION_H

#include "cli/options.h"
#include "gate/policy_file.h"

/* End with dg_policy_option_clear(). */
struct dg_policy_option {
    const char *config; /* NULL: the delegraph.yaml that is found, if any */
    bool none;
    struct dg_policy policy;     /* path NULL: there is none */
    struct dg_policy_part given; /* what the command line said */
};

/* Lines for a table of options; `field` is the dg_policy_option in struct `type`. */
#define DG_POLICY_OPTIONS(type, field)                                                 \
    {DG_OPTION_FILE,                                                                   \
     "config",                                                                         \
     0,                                                                                \
     "FILE",                                                                           \
     offsetof(type, field.config),                                                     \
     "the policy; default: delegraph.yaml, here or above in the repository"},          \
    {                                                                                  \
        DG_OPTION_FLAG, "no-config", 0, NULL, offsetof(type, field.none),              \
            "read no policy"                                                           \
    }

/* Read it. Names in it are checked by dg_policy_option_check(), once the rules of the
 * user are there. */
enum dg_status dg_policy_option_read(struct dg_policy_option *option,
                                     struct dg_arena *memory, struct dg_error *err);
void dg_policy_option_clear(struct dg_policy_option *option);

/* Words of `list` are the command line's for `key`; patterns with commas between them,
 * NAME=WORD where it has names. */
void dg_policy_option_give(struct dg_policy_option *option, enum dg_policy_key key,
                           const struct dg_list *list, const char *name,
                           struct dg_arena *memory);

/* A word as the command line takes it: "file-size=1MiB". */
const char *dg_policy_option_item(const struct dg_policy_entry *entry,
                                  struct dg_arena *memory);

/* The same with who said it: "--limit file-size=1MiB", "delegraph.yaml:7: budgets:
 * file-size=1MiB". */
const char *dg_policy_option_said(const struct dg_policy_option *option,
                                  const struct dg_policy_entry *budget,
                                  struct dg_arena *memory);

/* Whether rules and limits that policy and command line name exist. */
enum dg_status dg_policy_option_check(const struct dg_policy_option *option,
                                      const char *command,
                                      const struct dg_verifier *user,
                                      struct dg_error *err);

#endif
