/* Rules about a policy itself. What breaks them is no row: src/gate/policy_apply.c sees
 * it once all findings of all programs are there. */
#include "verifiers/verifier.h"

static const char not_given[] =
    "SELECT 'no policy with suppressions is given (--config)'"
    " WHERE NOT EXISTS (SELECT 1 FROM setting WHERE name = 'policy')";

static const char no_policy[] =
    "SELECT 'no policy for some programs is given (--config)'"
    " WHERE NOT EXISTS (SELECT 1 FROM setting WHERE name IN ('policy', "
    "'policy-files'))";

static const struct dg_rule rules[] = {
    {
        .name = "expired",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a suppression has findings only until its day has passed",
        .reason = "someone meant to mend this by then; the findings count again",
        .fix = "mend it, or agree on another day with the owner and write it into the "
               "policy",
        .example = "expires: 2026-01-31, and it is February",
        .level = "pt2 pte",
        .not_checked = not_given,
    },
    {
        .name = "unused",
        .severity = DG_SEVERITY_WARNING,
        .invariant =
            "a suppression has a finding to let pass where its rule ran over all"
            " that it means: a folder (--recursive), or files by name",
        .reason = "one that nothing needs hides the same fault when it comes back",
        .fix = "take it out of the policy",
        .example = "the fault was mended, its suppression stayed",
        .level = "pt2 pte",
        .not_checked = not_given,
    },
    {
        .name = "unmatched",
        .severity = DG_SEVERITY_NOTE,
        .invariant =
            "files of a policy mean some program of the folder that is checked",
        .reason = "a name that is misspelt asks nothing of anybody",
        .fix = "correct the glob; it is seen from the folder of the policy",
        .example = "files: biuld/*.pte",
        .level = "pt2 pte",
        .not_checked = no_policy,
    },
    {0},
};

const struct dg_verifier dg_verifier_policy = {.name = "policy", .rules = rules};
