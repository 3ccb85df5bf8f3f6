/* Telling of findings: so many of a rule, then how many more. */
#include <stdio.h>

#include "verifiers/verifier_parts.h"

static const char *const severities[] = {"note", "warning", "error"};

const char *dg_severity_name(enum dg_severity severity)
{
    return severities[severity];
}

bool dg_severity_find(enum dg_severity *out, struct dg_text name)
{
    for (int i = 0; i < DG_N_SEVERITIES; i++) {
        *out = (enum dg_severity)i;
        if (dg_text_is(name, severities[i]))
            return true;
    }
    return false;
}

static enum dg_severity severity_of(const struct dg_finding *finding)
{
    enum dg_severity severity;

    dg_severity_find(&severity, dg_text(finding->severity));
    return severity;
}

enum dg_status dg_find(const struct dg_findings *found, struct dg_finding *finding,
                       struct dg_error *err)
{
    if (!finding->rule)
        finding->rule = found->id;
    if (!finding->severity)
        finding->severity = dg_severity_name(found->rule->severity);
    if (++found->so_far->n <= DG_MOST_FINDINGS)
        return dg_store_add_finding(found->store, finding, err);
    found->so_far->more[severity_of(finding)]++;
    return DG_OK;
}

bool dg_find_full(const struct dg_findings *found)
{
    return found->so_far->n >= DG_MOST_FINDINGS;
}

enum dg_status dg_find_rest(const struct dg_findings *found, struct dg_error *err)
{
    enum dg_status status = DG_OK;

    for (int i = DG_N_SEVERITIES; i-- && !status;) {
        int64_t more = found->so_far->more[i];
        char text[64];
        struct dg_finding finding = {.rule = found->id,
                                     .severity = severities[i],
                                     .message = {text, 0},
                                     .counts = true};

        finding.message.size = (size_t)snprintf(
            text, sizeof(text), "%lld more findings of this rule", (long long)more);
        if (more)
            status = dg_store_add_finding(found->store, &finding, err);
    }
    return status;
}
