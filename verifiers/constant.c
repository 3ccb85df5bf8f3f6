/* Parameters, buffers and lifted tensors in a plan: who owns them. */
#include "verifiers/constant_parts.h"

static const struct dg_rule rules[] = {
    {
        .name = "users-share-tag",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a tagged constant has users with its tag",
        .reason = "lowering repairs most of it, and fails where it cannot",
        .fix = "tag constants with tag_constant_data; leave one untagged that a list"
               " takes",
        .issue = "#22798",
        .level = "pt2",
        .check = dg_check_users_share_tag,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "will-duplicate",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "all users of a tagged constant have its tag",
        .reason = "lowering copies it once for each user after the first",
        .fix = "leave a large constant untagged: then it is passed to each delegate",
        .issue = "#2570",
        .level = "pt2",
        .check = dg_check_will_duplicate,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "list-arg-user",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "no user takes a constant that is copied in a list",
        .reason = "lowering puts no copy into lists; another order of users fails, and"
                  " copies of another constant of that user can change the order",
        .fix = "leave the constant untagged",
        .issue = "#22798",
        .level = "pt2",
        .check = dg_check_list_arg_user,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "tag-is-min",
        .severity = DG_SEVERITY_NOTE,
        .invariant = "a constant has the least tag of its users, as strings compare",
        .reason = "another partitioner was at work than tag_constant_data",
        .fix = "nothing is wrong; tag_constant_data makes the choice predictable",
        .issue = "#20384",
        .level = "pt2",
        .check = dg_check_tag_is_min,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "unused-untagged",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a backend that takes all constants gets those that are not used",
        .reason = "the constant stays in the host program, which has no use for it",
        .fix = "give it the first tag of the plan, or delete it before export",
        .issue = "#15439",
        .level = "pt2",
        .check = dg_check_unused_untagged,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "prior-delegate-only",
        .severity = DG_SEVERITY_WARNING,
        .invariant = "a constant that only earlier delegates read has no tag",
        .reason = "executorch 1.5.1 takes the tag away again; older releases fail",
        .fix = "leave calls of delegates and their constants alone",
        .issue = "#20077",
        .level = "pt2",
        .check = dg_check_prior_delegate_only,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "mutable-as-constant",
        .severity = DG_SEVERITY_ERROR,
        .invariant = "who takes a buffer away makes its new value, too",
        .reason = "lowering fails: the output does not point to a buffer that exists",
        .fix = "tag the node that makes the new value, or leave the buffer untagged",
        .issue = "#21855",
        .level = "pt2",
        .check = dg_check_mutable_as_constant,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "mutable-shared",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "one partition alone, or the host alone, reads a tagged buffer that"
            " changes",
        .reason =
            "each gets a copy, only one is updated, and results are wrong from the"
            " second run",
        .fix = "leave the buffer untagged, or put all its users into one partition",
        .issue = "#17005",
        .level = "pt2",
        .check = dg_check_mutable_shared,
        .not_checked = DG_NO_PLAN,
    },
    {
        .name = "mutation-also-output",
        .severity = DG_SEVERITY_ERROR,
        .invariant =
            "nobody else needs the new value of a buffer that a delegate keeps",
        .reason = "lowering fails",
        .fix = "leave the buffer untagged, or put the other users into the partition",
        .issue = "#4830",
        .level = "pt2",
        .check = dg_check_mutation_also_output,
        .not_checked = DG_NO_PLAN,
    },
    {0},
};

const struct dg_verifier dg_verifier_constant = {"constant", rules};
