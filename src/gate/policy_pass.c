/* A suppression of a policy's file. */
#include <string.h>

#include "gate/baseline.h"
#include "gate/day.h"
#include "gate/policy_words.h"

static const char *const pass_keys[] = {"rule",   "files", "where",
                                        "reason", "owner", "expires"};

static enum dg_status read_pass_member(struct dg_policy_pass *pass,
                                       const struct dg_policy_reader *reader,
                                       const struct dg_yaml *member)
{
    struct dg_policy_entry where = {0}, reason = {0}, owner = {0},
                           expires = {0}, *const words[] = {&pass->rule, NULL,
                                                            &where,      &reason,
                                                            &owner,      &expires};
    enum { N = sizeof(words) / sizeof(*words) };
    size_t i = 0;
    enum dg_status status;

    while (i < N && !dg_text_is(member->key, pass_keys[i]))
        i++;
    if (i == N)
        return dg_policy_refuse_key(reader, member, pass_keys, N);
    if (!words[i])
        return dg_policy_read_files(&pass->files, reader, member);
    status = dg_policy_read_word(words[i], reader, member, "a text");
    if (where.value.data)
        pass->where = where.value;
    if (reason.value.data)
        pass->known.reason = reason.value;
    if (owner.value.data)
        pass->known.owner = owner.value;
    if (expires.value.data)
        pass->known.expires = expires.value;
    return status;
}

/* What a pass must say, so that someone can be asked. */
static enum dg_status check_pass(const struct dg_policy_pass *pass,
                                 const struct dg_policy_reader *reader,
                                 const struct dg_yaml *node)
{
    const char *missing = !pass->rule.value.data      ? "rule"
                          : !pass->known.reason.data  ? "reason"
                          : !pass->known.owner.data   ? "owner"
                          : !pass->known.expires.data ? "expires"
                                                      : NULL;
    struct dg_outcome_finding finding = {.fingerprint = dg_text("")};

    if (missing)
        return dg_policy_refuse(
            reader, node->line, node->column,
            "%s is missing: a suppression has rule, reason, owner and expires",
            missing);
    if (strcspn(pass->rule.value.data, "*?[") < strcspn(pass->rule.value.data, "/"))
        return dg_policy_refuse(reader, pass->rule.line, pass->rule.column,
                                "%.60s: expected a family before the glob, such as"
                                " memory/*",
                                pass->rule.value.data);
    if (!dg_is_day(pass->known.expires))
        return dg_policy_refuse(
            reader, node->line, node->column,
            "expires is \"%.40s\", expected a day, for instance 2027-01-31",
            pass->known.expires.data);
    finding.rule = /* a family alone means all of it */
        dg_format(&reader->policy->memory, "%s/", pass->rule.value.data).data;
    if (!dg_baseline_takes(&finding))
        return dg_policy_refuse(
            reader, pass->rule.line, pass->rule.column,
            "%.60s is not let pass: limits are raised, and what a baseline or "
            "policy says wrong is mended",
            pass->rule.value.data);
    return DG_OK;
}

enum dg_status dg_policy_read_pass(const struct dg_policy_reader *reader,
                                   const struct dg_yaml *node)
{
    struct dg_policy *policy = reader->policy;
    struct dg_policy_pass *pass = DG_APPEND(policy->passes, policy->n_passes);
    enum dg_status status =
        dg_policy_check_map(reader, node, "a map with rule, reason, owner and expires");

    for (const struct dg_yaml *member = node->first; member && !status;
         member = member->next)
        status = read_pass_member(pass, reader, member);
    return status ? status : check_pass(pass, reader, node);
}
