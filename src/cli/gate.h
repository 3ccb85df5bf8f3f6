/* The gate: which findings a program has, and whether they let it pass. check and
 * report take the same options for it, so that they say the same. */
#ifndef DG_CLI_GATE_H
#define DG_CLI_GATE_H

#include "cli/artifact_option.h"
#include "cli/numerics_options.h"
#include "cli/plan_option.h"
#include "cli/policy_option.h"
#include "cli/target_options.h"
#include "cli/user_rules.h"
#include "gate/baseline.h"
#include "gate/outcome.h"
#include "verifiers/verifier.h"

struct dg_gate {
    struct dg_list select, ignore;
    struct dg_plan_option plan;
    struct dg_target_options target;
    struct dg_user_options user;
    struct dg_policy_option policy;
    struct dg_numerics_options numerics; /* of check alone */
    const char *fail_on;                 /* NULL: not given, which means errors */
    const char *artifact;
    bool growth_may_wait;     /* limits of growth in the policy need no --against */
    bool shows_old;           /* --against means something without such limits, too */
    const char *program;      /* its name, which a store keeps; NULL: not known yet */
    bool is_new;              /* the folder of --against has no program of its name */
    enum dg_plan_doubt doubt; /* how the command takes a plan that names other nodes */
    const struct dg_policy_part *part; /* what holds: dg_gate_fit() fills in both */
    struct dg_selection selection;
    struct dg_baseline *baseline; /* NULL: none; read while files are checked */
};

/* What a gate starts with, in an initializer. */
#define DG_GATE_START .numerics.limits = DG_NO_LIMITS

/* Lines for a table of options; `field` is the dg_gate in struct `type`. These decide
 * what is found, */
#define DG_FINDING_OPTIONS(type, field)                                                \
    {DG_OPTION_LIST,                                                                   \
     "select",                                                                         \
     0,                                                                                \
     "RULES",                                                                          \
     offsetof(type, field.select),                                                     \
     "run only these: ids, families, globs, with commas between them"},                \
        {DG_OPTION_LIST,   "ignore", 0, "RULES", offsetof(type, field.ignore),         \
         "leave these out"},                                                           \
        DG_PLAN_OPTION(type, field.plan), DG_FORCE_OPTION(type, field.plan),           \
        DG_TARGET_OPTIONS(type, field.target), DG_USER_OPTIONS(type, field.user),      \
        DG_POLICY_OPTIONS(type, field.policy)

/* Read the policy and the rules of the user; what they and the command line name and
 * does not exist is wrong usage. End with dg_gate_clear(). */
enum dg_status dg_gate_prepare(struct dg_gate *gate, const char *command,
                               struct dg_arena *memory, struct dg_error *err);
void dg_gate_clear(struct dg_gate *gate);

/* Make of a gate, or of a copy of it, that of one program: rules, severities, limits
 * and target as policy and command line have them for it. NULL: for any. */
enum dg_status dg_gate_fit(struct dg_gate *gate, const char *path,
                           struct dg_arena *memory, struct dg_error *err);

/* The same for what was opened: a store's program goes by the name that it had. */
enum dg_status dg_gate_fit_input(struct dg_gate *gate, const struct dg_input *input,
                                 struct dg_arena *memory, struct dg_error *err);

/* What was given, or else what the policy says of a key that has one word; or NULL. */
const char *dg_gate_word(const struct dg_gate *gate, enum dg_policy_key key,
                         const char *given);

/* Whether nothing is given with the program: its digests are then compared among
 * themselves alone. */
bool dg_gate_alone(const struct dg_gate *gate);

/* Join what is given with the program, and take the plan. */
enum dg_status dg_gate_join(const struct dg_gate *gate, struct dg_input *input,
                            struct dg_error *err);

/* Run the rules over what was joined; findings get the severities of the policy.
 * dg_gate_run() joins it, too. */
enum dg_status dg_gate_verify(const struct dg_gate *gate, struct dg_store *store,
                              dg_verified_fn *told, void *context,
                              struct dg_error *err);
enum dg_status dg_gate_run(const struct dg_gate *gate, struct dg_input *input,
                           dg_verified_fn *told, void *context, struct dg_error *err);

/* The findings of a program and of its data. */
enum dg_status dg_gate_count(int64_t counts[DG_N_SEVERITIES], struct dg_store *store,
                             int64_t artifact, struct dg_error *err);

/* The number of the first severity that does not let the gate fail. */
int dg_gate_fails_from(const struct dg_gate *gate);
bool dg_gate_fails(const struct dg_gate *gate, const int64_t counts[DG_N_SEVERITIES]);

#endif
