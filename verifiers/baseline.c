/* Rules about a baseline itself. What breaks them is no row: src/gate/baseline.c sees
 * it once all findings of a program are there. */
#include "verifiers/verifier.h"

static const char not_given[] =
    "SELECT '--baseline is not given'"
    " WHERE NOT EXISTS (SELECT 1 FROM setting WHERE name = 'baseline')";

static const struct dg_rule rules[] = {
    {
        .name = "expired",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "what a baseline knows, it knows until a day that has not passed",
        .reason = "someone meant to mend this by then; the finding counts again",
        .fix = "mend it, or agree on another day with the owner and write it into the "
               "baseline",
        .example = "\"expires\":\"2026-01-31\", and it is February",
        .level = "pt2 pte",
        .not_checked = not_given,
    },
    {
        .name = "unused",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "what a baseline knows of a program is found in it",
        .reason = "an entry that nothing needs hides the same fault when it comes back",
        .fix = "delegraph baseline prune",
        .example = "the fault was mended, its entry stayed",
        .level = "pt2 pte",
        .not_checked = not_given,
    },
    {0},
};

const struct dg_verifier dg_verifier_baseline = {.name = "baseline", .rules = rules};
