/* A policy held to what was found: what it lets pass, and what no longer needs it. */
#include <fnmatch.h>
#include <string.h>

#include "gate/baseline.h"
#include "gate/day.h"
#include "gate/policy_apply.h"

struct apply {
    struct dg_policy *policy;
    char day[DG_DAY_SIZE];
    bool tells_expired;
    struct dg_outcome *outcome;
    const char *program; /* its name */
};

/* Whether the rules of the program have a say in what a suppression waits for. */
static bool has_ran(const struct dg_outcome *outcome, const char *pattern)
{
    bool ran = false;

    for (size_t i = 0; i < outcome->n_rules && !ran; i++)
        ran = !outcome->rules[i].not_checked &&
              dg_rule_matches(pattern, outcome->rules[i].id);
    return ran;
}

static bool fits(const struct dg_policy_pass *pass,
                 const struct dg_outcome_finding *finding, struct dg_arena *memory)
{
    if (!dg_baseline_takes(finding) ||
        !dg_rule_matches(pass->rule.value.data, finding->rule))
        return false;
    return !pass->where.data ||
           !fnmatch(pass->where.data, dg_finding_where(memory, finding).data, 0);
}

/* A fault of the policy is at its line. */
static void find_fault(struct dg_policy *policy, struct dg_outcome *outcome,
                       const struct dg_policy_pass *pass, const char *rule,
                       struct dg_writer *message)
{
    struct dg_arena *memory = &policy->memory;
    struct dg_text line = dg_policy_origin(policy, &pass->rule, memory);

    dg_outcome_add_fault(outcome, rule, line, dg_keep(memory, message), memory);
    outcome->findings[outcome->n_findings - 1].source = line;
    outcome->findings[outcome->n_findings - 1].at =
        (struct dg_source){policy->place, pass->rule.line};
}

static void find_expired(struct apply *apply, struct dg_policy_pass *pass)
{
    struct dg_writer message = {0};

    if (!apply->tells_expired || pass->told)
        return;
    pass->told = true;
    dg_print(&message, "a suppression of %s ended on ", pass->rule.value.data);
    dg_write_text(&message, pass->known.expires);
    dg_print(&message, " (owner: ");
    dg_write_text(&message, pass->known.owner);
    dg_print(&message, "); it lets nothing pass any more");
    find_fault(apply->policy, apply->outcome, pass, "policy/expired", &message);
}

static void find_unused(struct dg_policy *policy, struct dg_outcome *outcome,
                        const struct dg_policy_pass *pass)
{
    struct dg_writer message = {0};

    dg_print(&message, "a suppression of %s%s", pass->rule.value.data,
             pass->where.data ? " at " : "");
    dg_write_text(&message, pass->where);
    dg_print(&message, " has nothing to let pass");
    find_fault(policy, outcome, pass, "policy/unused", &message);
}

/* A program: its globs name it, and nothing else. */
static bool is_named(const struct dg_policy_entries *files)
{
    bool named = files->n_items > 0;

    for (size_t i = 0; i < files->n_items; i++)
        named = named && !strpbrk(files->items[i].value.data, "*?[");
    return named;
}

static void find_unmatched(struct dg_policy *policy, struct dg_outcome *outcomes,
                           size_t n_outcomes, const struct dg_policy_entries *files)
{
    const struct dg_policy_pass place = {.rule = files->items[0]};
    struct dg_arena memory = {0};
    struct dg_writer message = {0};
    size_t i = 0, at = n_outcomes;

    while (at && outcomes[at - 1].trouble) /* it is told with one that was read */
        at--;
    while (i < n_outcomes &&
           !dg_policy_means(files, dg_policy_name(policy, outcomes[i].path, &memory)))
        i++;
    dg_arena_clear(&memory);
    if (i < n_outcomes || !at)
        return;
    dg_print(&message, "files ");
    for (size_t k = 0; k < files->n_items; k++) {
        dg_print(&message, "%s", k ? ", " : "");
        dg_write_text(&message, files->items[k].value);
    }
    dg_print(&message,
             n_outcomes == 1 ? ": not the one program" : ": none of the %zu programs",
             n_outcomes);
    find_fault(policy, &outcomes[at - 1], &place, "policy/unmatched", &message);
}

static void find_all_unmatched(struct dg_policy *policy, struct dg_outcome *outcomes,
                               size_t n_outcomes)
{
    for (size_t i = 0; i < policy->n_parts; i++)
        find_unmatched(policy, outcomes, n_outcomes, &policy->parts[i].files);
    for (size_t i = 0; i < policy->n_passes; i++) {
        if (policy->passes[i].files.n_items)
            find_unmatched(policy, outcomes, n_outcomes, &policy->passes[i].files);
    }
}

static void apply_pass(struct apply *apply, struct dg_policy_pass *pass, size_t number)
{
    struct dg_outcome *outcome = apply->outcome;
    size_t n = outcome->n_findings; /* those that are added here are not asked about */
    struct dg_arena memory = {0};

    if (!dg_policy_means(&pass->files, apply->program))
        return;
    pass->blind = pass->blind || outcome->trouble;
    if (has_ran(outcome, pass->rule.value.data))
        pass->asked = number + 1;
    for (size_t i = 0; i < n; i++) {
        if (!fits(pass, &outcome->findings[i], &memory))
            continue;
        pass->used = true;
        if (dg_has_passed(pass->known.expires, apply->day))
            find_expired(apply, pass);
        else if (!outcome->findings[i].known)
            outcome->findings[i].known = &pass->known;
    }
    dg_arena_clear(&memory);
}

/* Rows of the store had theirs when the rules ran. */
static void set_severities(struct dg_outcome *outcome,
                           const struct dg_policy_part *part)
{
    for (size_t i = 0; i < outcome->n_findings; i++) {
        struct dg_outcome_finding *finding = &outcome->findings[i];
        int severity = finding->number ? -1 : dg_policy_severity(part, finding->rule);

        if (severity >= 0)
            finding->severity = severity;
    }
}

void dg_policy_apply(struct dg_policy *policy, struct dg_outcome *outcomes,
                     size_t n_outcomes, const struct dg_policy_part *given,
                     const struct dg_selection *selection, bool whole)
{
    struct apply apply = {.policy = policy,
                          .tells_expired = dg_selects(selection, "policy/expired")};
    bool tells_unused = dg_selects(selection, "policy/unused");
    struct dg_arena memory = {0};

    if (!policy->path)
        return;
    dg_today(apply.day);
    for (size_t i = 0; i < n_outcomes; i++) {
        apply.outcome = &outcomes[i];
        apply.program = dg_policy_name(policy, outcomes[i].path, &memory);
        for (size_t k = 0; k < policy->n_passes; k++)
            apply_pass(&apply, &policy->passes[k], i);
    }
    for (size_t k = 0; k < policy->n_passes && tells_unused; k++) {
        const struct dg_policy_pass *pass = &policy->passes[k];

        if (pass->asked && !pass->used && !pass->blind &&
            (whole || is_named(&pass->files)))
            find_unused(policy, &outcomes[pass->asked - 1], pass);
    }
    if (whole && n_outcomes && dg_selects(selection, "policy/unmatched"))
        find_all_unmatched(policy, outcomes, n_outcomes);
    for (size_t i = 0; i < n_outcomes; i++) {
        if (outcomes[i].trouble)
            continue;
        set_severities(&outcomes[i],
                       dg_policy_for(policy,
                                     dg_policy_name(policy, outcomes[i].path, &memory),
                                     given, &memory));
        dg_outcome_count(&outcomes[i]);
    }
    dg_arena_clear(&memory);
}
