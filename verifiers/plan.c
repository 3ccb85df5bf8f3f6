/* Methods of a .pte: what each must have. */
#include "verifiers/verifier.h"

static const struct dg_rule rules[] = {
    {
        .name = "name",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a method has a name",
        .reason = "the runtime refuses the file",
        .fix = "export again",
        .level = "pte",
    },
    {
        .name = "fields",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a method has inputs, outputs, delegates, operators and chains",
        .reason = "the runtime refuses the method",
        .fix = "export again",
        .level = "pte",
    },
    {0},
};

const struct dg_verifier dg_verifier_plan = {"plan", rules};
