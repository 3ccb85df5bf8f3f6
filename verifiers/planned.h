/* What the rules about plans share: a walk over tagged graphs, and findings in them. */
#ifndef DG_VERIFIERS_PLANNED_H
#define DG_VERIFIERS_PLANNED_H

#include "partition/partitioned.h"
#include "verifiers/verifier.h"

/* For dg_rule.not_checked of rules that need a plan. */
#define DG_NO_PLAN "SELECT 'there is no plan' WHERE NOT EXISTS (SELECT 1 FROM part_run)"

/* Whether it does. */
bool dg_rule_is_of_plans(const struct dg_rule *rule);

typedef enum dg_status dg_planned_fn(const struct dg_findings *found,
                                     const struct dg_partitioned_graph *tagged,
                                     struct dg_error *err);

/* Calls `look` for each graph that the newest plans tag. */
enum dg_status dg_each_planned(const struct dg_findings *found, dg_planned_fn *look,
                               struct dg_error *err);

/* Where a finding lies: `node`, and the nodes that show it, by their numbers. */
struct dg_offence {
    const char *severity; /* NULL: the rule's */
    uint32_t node;
    const uint32_t *witness;
    size_t n_witness;
};

enum dg_status dg_find_planned(const struct dg_findings *found,
                               const struct dg_partitioned_graph *tagged,
                               const struct dg_offence *offence, struct dg_error *err,
                               const char *message, ...)
    __attribute__((format(printf, 5, 6), nonnull(5)));

/* A text as the two arguments of "%.*s". */
#define DG_SHOWN(text) (int)(text).size, (text).data ? (text).data : ""

/* The tag of a node in words: its name, or "no tag". */
struct dg_text dg_tag_in_words(const struct dg_partitioned_graph *tagged,
                               uint32_t node);

/* The tag by which lowering takes `node` away, or DG_UNTAGGED: it has none, or
 * the plan does not say what delegate its tag means. */
static inline uint32_t dg_lowered_tag(const struct dg_partitioned_graph *tagged,
                                      uint32_t node)
{
    uint32_t tag = tagged->tag_of[node];

    return tag == DG_UNTAGGED || tagged->tags[tag].known ? tag : DG_UNTAGGED;
}

#endif
