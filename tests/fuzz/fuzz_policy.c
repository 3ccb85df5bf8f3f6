/* A policy; what is read is explained, read again and applied. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gate/policy_apply.h"
#include "gate/policy_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool parse(struct dg_policy *policy, const char *data, size_t size,
                  struct dg_error *err)
{
    policy->path = "p";
    policy->folder = "/";
    return !dg_policy_parse(policy, (struct dg_text){data, size}, "", err);
}

static void apply(struct dg_policy *policy)
{
    const struct dg_rule_met met[] = {{"graph/acyclic", 0, NULL}};
    const struct dg_policy_part nothing = {0};
    const struct dg_selection all = {0};
    struct dg_outcome_finding findings[2] = {{.rule = "graph/acyclic",
                                              .method = dg_text("forward"),
                                              .fingerprint = dg_text("f")}};
    struct dg_outcome outcome = {.path = "model.pte",
                                 .findings = findings,
                                 .n_findings = 1,
                                 .room = 2,
                                 .rules = met,
                                 .n_rules = 1};

    dg_policy_apply(policy, &outcome, 1, &nothing, &all, true);
}

/* Words may be as long as a file: an explained policy is larger than one may be. */
static void explain(struct dg_policy *policy)
{
    const struct dg_policy_part nothing = {0};
    struct dg_policy again = {0};
    struct dg_writer out = {0};
    struct dg_error err = {0};

    dg_policy_explain(&out, policy, "model.pte", &nothing);
    dg_writer_clear(&out);
    dg_policy_explain(&out, policy, NULL, &nothing);
    if (out.size && !parse(&again, out.data, out.size, &err)) {
        fprintf(stderr, "explained: %s\n%s", err.text, out.data);
        abort();
    }
    dg_policy_clear(&again);
    dg_writer_clear(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct dg_policy policy = {0};
    struct dg_error err = {0};

    if (size < 1 << 16 && parse(&policy, (const char *)data, size, &err)) {
        explain(&policy);
        apply(&policy);
    }
    dg_policy_clear(&policy);
    return 0;
}
