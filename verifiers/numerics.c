/* Rules about what a program gives when it is run. What breaks them is no row of it:
 * check --numerics runs it, and leaves remarks (src/cli/check_numerics.c). */
#include "verifiers/verifier.h"

static const char not_run[] =
    "SELECT '--numerics is not given'"
    " WHERE NOT EXISTS (SELECT 1 FROM setting WHERE name = 'numerics')";

static const struct dg_rule rules[] = {
    {
        .name = "refused",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "a method that is run runs to its end",
        .reason = "what stops a run here stops it on the device, too, or gives wrong "
                  "numbers there",
        .fix = "mend what it names; data beside the program is given as a .ptd",
        .example = "an instruction gives sizes [2,3], its result is declared as [3,2]",
        .level = "pt2 pte",
        .not_checked = not_run,
    },
    {
        .name = "output",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "an output differs from what it is held to by no more than rounding "
            "explains, or by what was allowed",
        .reason = "the program computes something else than the model that it was made "
                  "from",
        .fix = "delegraph run RIGHT.pt2 --against THIS --bisect names the first node "
               "that is off",
        .example =
            "a weight became 1.0: SNR 24.3 dB, 13,000 times what rounding explains",
        .level = "pt2 pte",
        .not_checked = not_run,
    },
    {
        .name = "unstable",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "rounding alone leaves an output as it is",
        .reason =
            "sums in its own dtype lead so far from f64 that no difference can be "
            "told from rounding: nothing is known of the output",
        .fix = "choose inputs that the model is made for (--inputs), or a tolerance "
               "(--min-snr)",
        .example = "the small difference of two large sums",
        .level = "pt2 pte",
        .not_checked = not_run,
    },
    {
        .name = "compared",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "of a method that is run some output is compared",
        .reason = "a gate that compares nothing lets everything pass",
        .fix = "give the --program that it was made from; delegates other than XNNPACK's do not run here: "
               "save what the device gives as OUT.npz, and delegraph run THIS --actual "
               "OUT.npz --expected RIGHT.npz",
        .example = "every output rests on a delegate",
        .level = "pt2 pte",
        .not_checked = not_run,
    },
    {
        .name = "skipped",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "each method and each output of it is compared",
        .reason = "nothing is known of what was not compared",
        .fix = "give what is missing: the --program of that method, or values of "
               "--expected; where nothing can be done, --ignore numerics/skipped",
        .example = "one of two outputs rests on an operator without a kernel here",
        .level = "pt2 pte",
        .not_checked = not_run,
    },
    {0},
};

const struct dg_verifier dg_verifier_numerics = {.name = "numerics", .rules = rules};
