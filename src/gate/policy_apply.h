/* A policy held to what was found, and told as it holds. */
#ifndef DG_GATE_POLICY_APPLY_H
#define DG_GATE_POLICY_APPLY_H

#include "gate/policy.h"

/* Findings become known that the policy lets pass; those of no row get their severity;
 * what is wrong with the policy is found: policy/expired, and policy/unused and
 * policy/unmatched where these are all the programs of a folder (`whole`): of some of
 * them nobody knows what the others need. Counts are made anew. */
void dg_policy_apply(struct dg_policy *policy, struct dg_outcome *outcomes,
                     size_t n_outcomes, const struct dg_policy_part *given,
                     const struct dg_selection *selection, bool whole);

/* As YAML, with where each word came from behind it: what holds for `program`, or where
 * that is NULL, all of it. */
void dg_policy_explain(struct dg_writer *out, const struct dg_policy *policy,
                       const char *program, const struct dg_policy_part *given);

#endif
