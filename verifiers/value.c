/* Values of a .pte, and tensors of a .ptd: what a reader could not make sense of. */
#include "verifiers/verifier.h"

static const struct dg_rule rules[] = {
    {
        .name = "present",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "every value has its content",
        .reason = "the runtime refuses the method, or crashes",
        .fix = "export again",
        .level = "pte",
    },
    {
        .name = "kind-known",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the kind of every value is one that the runtime knows",
        .reason = "the runtime refuses the method",
        .fix = "export for the runtime that will run it",
        .level = "pte",
    },
    {
        .name = "scalar-type",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "the element type of a tensor is one that the runtime knows",
        .reason = "the runtime refuses the method",
        .fix = "export with element types that ExecuTorch has",
        .level = "pte ptd",
    },
    {
        .name = "sizes",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "sizes are not negative, and their product is a number of bytes",
        .reason = "the runtime refuses the method, or computes with other sizes",
        .fix = "export again",
        .issue = "#2163",
        .level = "pte",
    },
    {0},
};

const struct dg_verifier dg_verifier_value = {"value", rules};
